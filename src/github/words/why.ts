import { isAskingHuman } from '../../steering/standing.ts';
import type { Evaluation, State } from '../../steering/state.ts';
import { courseText } from './course.ts';
import { gatesText } from './gates.ts';
import { commit } from './links.ts';
import { capText, command, decisionTexts, evidenceText, scoreText, valueText } from './phrases.ts';
import { proofText } from './proof.ts';
import { code, plain } from './sanitize.ts';
import { supersededText } from './superseded.ts';

/** The reply to `/why`: how the confidence score came about. `web` is the address of the repository. */
export function whyText(state: State, web: string): string {
  const { shown } = state;
  if (shown === null) {
    return (
      `There is no confidence score yet because ${commit(state.head)} has not been verified. ` +
      `${command('status')} shows where the run stands.`
    );
  }
  const gates = gatesText(shown, { state, web });
  return paragraphs([supersededText(state), confidenceLine(state), breakdown(state, shown), gates]);
}

/** `**Confidence** 0.87, high: …`, with the decision while people are asked for it; empty without a score. */
export function confidenceLine(state: State): string {
  if (state.shown === null) return '';
  const { score, band, components, caps } = state.shown.confidence;
  const evidence = [...components.map(evidenceText), ...caps.map(capText)].map((each) => plain(each));
  return `**Confidence** ${scoreText(score)}, ${band}: ${evidence.join(', ')}. ${decisionText(state)}`.trim();
}

/** Components, weights, evidence, caps, the formula's version, the proof, and the course until now. */
export function breakdown(state: State, shown: Evaluation): string {
  const { confidence, head_sha } = shown;
  const rows = confidence.components.map(
    (component) =>
      `| ${component.name} | ${component.weight} | ${valueText(component)} | ${plain(evidenceText(component))} |`,
  );
  const table = ['| component | weight | value | evidence |', '|---|---|---|---|', ...rows].join('\n');
  const total = confidence.components.reduce((sum, { weight }) => sum + weight, 0);
  const formula =
    `Score of ${commit(head_sha)}: the weighted mean (the weights sum to ${scoreText(total)}), ` +
    `formula ${code(confidence.formula)}.`;
  const caps = confidence.caps.map((cap) => `- ${plain(capText(cap))}`);
  return paragraphs([table, formula, ...caps, proofText(shown), courseText(state)]);
}

/** What follows from the confidence; empty unless people are asked about the commit that it is of. */
export function decisionText({ standing, shown }: State): string {
  if (shown === null || !isAskingHuman(standing) || standing.phase === 'awaiting_permission') return '';
  const { decision, gates, confidence } = shown;
  if (decision === 'wait' && gates.length > 0) return 'A human has to decide because a gate was triggered.';
  if (decision === 'wait' && confidence.unverified) return 'A human has to decide because no verifier ran.';
  return decisionTexts[decision];
}

function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
