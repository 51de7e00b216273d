import { isWorkAhead } from '../steering/phases/table.ts';
import { shortSha } from '../steering/phrases/phrases.ts';
import type { Confidence } from '../steering/shapes/score.ts';
import type { Phase } from '../steering/shapes/standing.ts';
import type { Restoration } from '../steering/shapes/task.ts';
import type { SteeringIteration } from '../steering/state/state.ts';
import { costText, durationText } from '../text/amounts.ts';
import { ciHasNotRun, commit, compareLink, scoreText } from './parts/common-phrases.ts';
import { code, codeInCell, paragraphs, plain, said } from './parts/sanitize.ts';
import { phaseWords } from './phases/index.ts';

/** What the table shows of a run. */
interface RunSummary {
  readonly phase: Phase;
  readonly task: { readonly title: string };
  readonly iteration: number;
  readonly max_iterations: number;
  readonly head_sha: string;
  readonly score: number | null;
  readonly band: Confidence['band'] | null;
  readonly unverified: boolean;
  /** The oldest comes first. */
  readonly history: readonly SteeringIteration[];
  /** This ref has the full history. */
  readonly ledger: string;
}

/** What the table shows that is not part of the run's public data. */
interface RunTableNotes {
  /** How many iterations are missing in `history`. */
  readonly leftOut: number;
  /** Who requested the run; null when that is no longer known. */
  readonly requester: string | null;
  readonly restored: Restoration | null;
  /** Whether the CI of the repository waits for someone to let it run. */
  readonly ciWaits: boolean;
  /** That it is approved and still to be merged; empty otherwise. */
  readonly due?: string;
  /** It says in whose place the run is, and what is in its own; absent or empty if nothing is. */
  readonly links?: string;
  /** What is being done, if anything is to be said of it. */
  readonly atWork?: string | undefined;
}

/** The part of a pull request's body that people read: where the run stands and how it got there. */
export function runTable(run: RunSummary, notes: RunTableNotes): string {
  const { leftOut, requester, restored, ciWaits, due, links, atWork } = notes;
  const { phase, iteration, max_iterations, ledger, history } = run;
  const progress = `iteration ${iteration} of ${max_iterations}`;
  const standing = `**Coxswain**: ${code(phase)}, ${progress}${confidence(run)}`;
  const earlier =
    leftOut === 0
      ? ''
      : `${leftOut} earlier ${leftOut === 1 ? 'iteration is' : 'iterations are'} not shown. `;
  return paragraphs([
    standing,
    links,
    atWork,
    restored !== null && restoredLine(restored),
    due,
    ciWaits && `${ciHasNotRun}; ${code('/verify --ci')} starts CI.`,
    iterationsText(history, { title: run.task.title, requester, phase }),
    `<sub>${earlier}The full history is in ${code(ledger)}; ${code('/help')} lists the commands.</sub>`,
  ]);
}

function restoredLine({ at, by }: Restoration): string {
  return `**Started over** at ${at} by ${plain(by, 60)}: the previous ledger was lost, and earlier approvals are void.`;
}

interface IterationsContext {
  /** The task has it, which is the first request. */
  readonly title: string;
  readonly requester: string | null;
  readonly phase: Phase;
  /** The repository's address, on a page: requests are told whole there, and commits lead to changes. */
  readonly web?: string;
}

interface RowContext extends IterationsContext {
  /** Whether an agent has said what any iteration cost. */
  readonly isCostKnown: boolean;
}

/** The iterations in a table, oldest first; empty if there is none. */
export function iterationsText(history: readonly SteeringIteration[], context: IterationsContext): string {
  if (history.length === 0) return '';
  const isCostKnown = history.some(({ cost }) => costText(cost) !== '');
  const last = isCostKnown ? 'cost, work time' : 'work time';
  const heading = `| # | request | by | commits | verifiers | confidence | ${last} |\n|---|---|---|---|---|---|---|`;
  return [heading, ...history.map((each) => rowOf(each, { ...context, isCostKnown }))].join('\n');
}

function rowOf(iteration: SteeringIteration, context: RowContext): string {
  const isFirst = iteration.iteration_number === 0;
  const authors = isFirst ? [context.requester ?? ''] : authorsOf(iteration);
  const cells = [
    String(iteration.iteration_number),
    plain(isFirst && iteration.prompt === '' ? context.title : iteration.prompt, context.web ? 2000 : 140),
    [...new Set(authors)].map((author) => plain(author, 60)).join(', '),
    commitsText(iteration, context),
    verifiersText(iteration),
    iteration.score === null ? '' : scoreText(iteration.score),
    costAndTime(iteration, context),
  ];
  return `| ${cells.join(' | ')} |`;
}

function authorsOf({ steers, undo, update }: SteeringIteration): readonly string[] {
  const by = undo?.by ?? update?.by;
  return by === undefined || by === null || steers.length > 0 ? steers.map(({ author }) => author) : [by];
}

/** An iteration that did not land is in progress only while something works on it, or is held. */
function commitsText(
  { head_before, head_after, landed }: SteeringIteration,
  { phase, web }: RowContext,
): string {
  if (!landed && isWorkAhead(phase)) return phaseWords[phase].unlanded ?? 'in progress';
  if (head_before === head_after) return 'none';
  const range = codeInCell(`${shortSha(head_before)}..${shortSha(head_after)}`);
  return web === undefined ? range : `[${range}](${compareLink(web, head_before, head_after)})`;
}

function verifiersText({ verifiers }: SteeringIteration): string {
  if (verifiers.length === 0) return '';
  const failing = verifiers.filter(({ success }) => !success);
  const named = (isRequired: boolean) =>
    namesOf(failing.filter(({ required = true }) => required === isRequired));
  const [needed, optional] = [named(true), named(false)];
  const passed = failing.length < verifiers.length ? `${verifiers.length - failing.length} pass` : '';
  const worst = needed === '' ? passed : `**fail** ${needed}`;
  const flaky = namesOf(verifiers.filter((each) => each.flaky));
  return said([worst, flaky && `${flaky} flaky`, optional && `${optional} fail, not required`]).join('; ');
}

function namesOf(verifiers: SteeringIteration['verifiers']): string {
  return verifiers
    .slice(0, 10)
    .map(({ name }) => codeInCell(name, 60))
    .join(', ');
}

function costAndTime({ cost, duration_s, landed }: SteeringIteration, { isCostKnown }: RowContext): string {
  const unknown = isCostKnown && landed ? 'cost not reported' : '';
  return said([costText(cost) || unknown, duration_s > 0 && durationText(duration_s)]).join(', ');
}

/** While there is newer work, a score is of the commit before it. */
function confidence({ phase, score, band, head_sha, unverified }: RunSummary): string {
  if (score === null || band === null) return '';
  const confidenceText = unverified ? `${band}, unverified` : band;
  const before = isWorkAhead(phase) ? 'before that ' : '';
  return `, ${before}confidence ${scoreText(score)} (${confidenceText}) at ${commit(head_sha)}`;
}
