import { isAskingHuman } from '../../steering/standing.ts';
import type { Evaluation, State } from '../../steering/state.ts';
import { commit } from './links.ts';
import { command, decisionTexts, evidenceText, scoreText, valueText } from './phrases.ts';
import { code, plain } from './sanitize.ts';
import { supersededText } from './superseded.ts';

/** The reply to `/why`: how the confidence score came about. */
export function whyText(state: State): string {
  const { shown } = state;
  if (shown === null) {
    return (
      `There is no confidence score yet because ${commit(state.head)} has not been verified. ` +
      `${command('status')} shows where the run stands.`
    );
  }
  return [supersededText(state), confidenceLine(state), breakdown(shown)]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** `**Confidence** 0.87, high: …`, with the decision while people are asked for it; empty without a score. */
export function confidenceLine(state: State): string {
  if (state.shown === null) return '';
  const { score, band, components, caps } = state.shown.confidence;
  const evidence = [...components.map(evidenceText), ...caps].map((each) => plain(each));
  return `**Confidence** ${scoreText(score)}, ${band}: ${evidence.join(', ')}. ${decisionText(state)}`.trim();
}

/** Components, weights, evidence, caps, gates and the formula's version. */
export function breakdown({ confidence, gates, head_sha }: Evaluation): string {
  const rows = confidence.components.map(
    (component) =>
      `| ${component.name} | ${component.weight} | ${valueText(component)} | ${plain(evidenceText(component))} |`,
  );
  const table = ['| component | weight | value | evidence |', '|---|---|---|---|', ...rows].join('\n');
  const total = confidence.components.reduce((sum, { weight }) => sum + weight, 0);
  const formula =
    `Score of ${commit(head_sha)}: the weighted mean (the weights sum to ${scoreText(total)}), ` +
    `formula ${code(confidence.formula)}.`;
  return [table, formula, ...confidence.caps.map((cap) => `- ${plain(cap)}`), gateLines(gates)]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The gates that require a human regardless of the score; empty when there are none. */
export function gateLines(gates: Evaluation['gates']): string {
  const lines = gates
    .slice(0, 50)
    .map(({ rule, severity, evidence }) => `- ${code(rule)} (${severity}): ${plain(evidence)}`);
  return lines.length === 0 ? '' : `**Gates**\n\n${lines.join('\n')}`;
}

/** What follows from the confidence; empty unless people are asked about the commit that it is of. */
export function decisionText({ standing, shown }: State): string {
  if (shown === null || !isAskingHuman(standing) || standing.phase === 'awaiting_permission') return '';
  const { decision, gates, confidence } = shown;
  if (decision === 'wait' && gates.length > 0) return 'A human has to decide because a gate was triggered.';
  if (decision === 'wait' && confidence.unverified) return 'A human has to decide because no verifier ran.';
  return decisionTexts[decision];
}
