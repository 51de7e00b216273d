import type { Cost } from '../../steering/evidence.ts';
import type { SteeringIteration } from '../../steering/state.ts';
import { code, codeInCell, commit, plain, scoreText, short } from '../words/index.ts';
import type { BlockState } from './block-state.ts';

/** What the table says that is not in the block: how many iterations it lacks, and who asked for the run. */
export interface Beside {
  readonly leftOut: number;
  readonly requester: string;
}

/** What a person reads of the block: where the run stands and how it came there. */
export function blockTable(block: BlockState, { leftOut, requester }: Beside): string {
  const { phase, iteration, max_iterations, ledger, history } = block;
  const round = `iteration ${iteration} of ${max_iterations}`;
  const standing = `**Coxswain**: ${code(phase)}, ${round}${confidence(block)}`;
  const heading =
    '| # | asked for | by | commits | verifiers | confidence | cost |\n|---|---|---|---|---|---|---|';
  const rows = history.map((round) => rowOf(round, { title: block.task.title, requester }));
  const earlier =
    leftOut === 0 ? '' : `${leftOut} earlier ${leftOut === 1 ? 'iteration is' : 'iterations are'} left out. `;
  return [
    standing,
    ...(rows.length === 0 ? [] : [[heading, ...rows].join('\n')]),
    `<sub>${earlier}The whole history is in ${code(ledger)}; ${code('/help')} lists the words.</sub>`,
  ].join('\n\n');
}

function rowOf(round: SteeringIteration, first: { title: string; requester: string }): string {
  const isFirst = round.iteration_number === 0;
  const authors = isFirst ? [first.requester] : [...new Set(round.steers.map(({ author }) => author))];
  const cells = [
    String(round.iteration_number),
    plain(isFirst && round.prompt === '' ? first.title : round.prompt, 140),
    authors.map((author) => plain(author, 60)).join(', '),
    commitsText(round),
    verifiersText(round),
    round.score === null ? '' : scoreText(round.score),
    costText(round.cost, round.duration_s),
  ];
  return `| ${cells.join(' | ')} |`;
}

function commitsText({ head_before, head_after, landed }: SteeringIteration): string {
  if (!landed) return 'under way';
  return head_before === head_after ? 'none' : codeInCell(`${short(head_before)}..${short(head_after)}`);
}

function verifiersText({ verifiers }: SteeringIteration): string {
  const red = verifiers.filter(({ success }) => !success).map(({ name }) => codeInCell(name, 60));
  if (verifiers.length === 0) return '';
  return red.length === 0 ? `${verifiers.length} pass` : `**fail** ${red.slice(0, 10).join(', ')}`;
}

function costText({ tokens, usd }: Cost, seconds: number): string {
  return [
    ...(usd === undefined ? [] : [`${usd.toFixed(2)} USD`]),
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
    ...(seconds > 0 ? [`${Math.round(seconds)} s`] : []),
  ].join(', ');
}

function confidence({ score, band, head_sha, unverified }: BlockState): string {
  if (score === null || band === null) return '';
  const sureness = unverified ? `${band}, unverified` : band;
  return `, confidence ${scoreText(score)} (${sureness}) at ${commit(head_sha)}`;
}
