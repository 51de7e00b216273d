import type { Decision } from '../../steering/confidence.ts';
import type { Evaluation, State } from '../../steering/state.ts';
import { commit } from './links.ts';
import { command, scoreText } from './phrases.ts';
import { code, plain } from './sanitize.ts';

/** Why the system is as sure as it is (L-9): the answer to `/why`. */
export function whyText(state: State): string {
  const { shown } = state;
  if (shown === null) {
    return (
      `There is no confidence to explain: ${commit(state.head)} has not been verified yet. ` +
      `${command('status')} tells where the run stands.`
    );
  }
  return [confidenceLine(shown), breakdown(shown)].join('\n\n');
}

/** `**Confidence** 0.87, high: …`, with what decided. */
export function confidenceLine(shown: Evaluation): string {
  const { score, band, components } = shown.confidence;
  const evidence = components.map((component) => plain(component.evidence)).join(', ');
  return `**Confidence** ${scoreText(score)}, ${band}: ${evidence}. ${decisionText(shown)}`;
}

/** Components, weights, evidence, caps, gates and the formula's version. */
export function breakdown({ confidence, gates, head_sha }: Evaluation): string {
  const rows = confidence.components.map(
    ({ name, weight, value, evidence }) =>
      `| ${name} | ${weight} | ${scoreText(value)} | ${plain(evidence)} |`,
  );
  const table = ['| component | weight | value | evidence |', '|---|---|---|---|', ...rows].join('\n');
  const total = confidence.components.reduce((sum, { weight }) => sum + weight, 0);
  const formula =
    `Score of ${commit(head_sha)}: the weighted mean (weights sum to ${scoreText(total)}), ` +
    `formula ${code(confidence.formula)}.`;
  return [table, formula, ...confidence.caps.map((cap) => `- ${plain(cap)}`), gateLines(gates)]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** What stops for a human whatever the score; empty when nothing does. */
export function gateLines(gates: Evaluation['gates']): string {
  const lines = gates
    .slice(0, 50)
    .map(({ rule, severity, evidence }) => `- ${code(rule)} (${severity}): ${plain(evidence)}`);
  return lines.length === 0 ? '' : `**Gates**\n\n${lines.join('\n')}`;
}

function decisionText({ decision, gates, confidence }: Evaluation): string {
  if (decision === 'wait' && gates.length > 0) return 'It waits for a human because a gate fired.';
  if (decision === 'wait' && confidence.unverified) return 'It waits for a human because no verifier spoke.';
  return decisions[decision];
}

const decisions: { readonly [D in Decision]: string } = {
  proceed: 'It may proceed.',
  wait: 'It waits for a human.',
  wait_with_timeout: 'It proceeds by itself unless a human says otherwise in time.',
  abort: 'It goes no further by itself.',
};
