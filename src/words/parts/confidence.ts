import { type CoursePoint, courseOf } from '../../steering/confidence/course.ts';
import { table } from '../../steering/phases/table.ts';
import { isAskingHuman } from '../../steering/shapes/standing.ts';
import type { Evaluation, State } from '../../steering/state/state.ts';
import { counted } from '../../text/amounts.ts';
import { capText, commit, decisionTexts, evidenceText, scoreText, valueText } from './phrases.ts';
import { peopleReasons } from './policy.ts';
import { proofText } from './proof.ts';
import { code, codeInCell, type Format, markdown, paragraphs, plain, said } from './sanitize.ts';

/** `**Confidence** 0.87, high: …`, with the decision while people are asked for it; empty without a score. */
export function confidenceLine(state: State): string {
  const text = confidenceText(state, markdown);
  return text && `**Confidence** ${text}`;
}

/** The same without its heading. */
export function confidenceText(state: State, format: Format): string {
  if (state.shown === null) return '';
  const { score, band, components, caps } = state.shown.confidence;
  const evidence = [...components.map(evidenceText), ...caps.map(capText)].map((each) => format.text(each));
  return `${scoreText(score)}, ${band}: ${evidence.join(', ')}. ${decisionText(state, format)}`.trim();
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
export function decisionText(state: State, format: Format = markdown): string {
  const { standing, shown } = state;
  if (shown === null || !isAskingHuman(standing) || isMidway(standing)) return '';
  const { decision, gates, confidence } = shown;
  if (decision === 'abort') return decisionTexts.abort;
  if (goesOn(standing)) return decisionTexts.wait_with_timeout;
  if (gates.length > 0) return 'A human has to decide because a gate was triggered.';
  if (confidence.unverified) return 'A human has to decide because no verifier ran.';
  const why = state.settings.approval.mode === 'manual' ? [] : peopleReasons(state);
  return why.length === 0
    ? decisionTexts.wait
    : `A human has to decide because ${format.text(why.join(', and '))}.`;
}

/** People are asked about work that is not the head. */
function isMidway({ phase }: State['standing']): boolean {
  return table[phase].kind === 'asks_midway';
}

function goesOn(standing: State['standing']): boolean {
  return standing.phase === 'awaiting_approval' && standing.proceeds?.on_timeout === 'proceed';
}

const maxPoints = 20;

/** The confidence of each iteration and what changed; empty until two iterations have one. */
export function courseText(state: State): string {
  const course = courseOf(state);
  if (course.length < 2) return '';
  const rows = course.slice(-maxPoints).map((point) => {
    const why = courseReasons(point).join('; ');
    return `| ${point.iteration} | ${scoreText(point.score)} ${point.band} | ${changeText(point)} | ${why} |`;
  });
  return ['| iteration | confidence | change | what changed |', '|---|---|---|---|', ...rows].join('\n');
}

/** `+0.20`, `the same`; empty for the first, and between two formulas, whose scores cannot be compared. */
function changeText({ change }: CoursePoint): string {
  if (change === null) return '';
  if (change === 0) return 'the same';
  return `${change > 0 ? '+' : '−'}${scoreText(Math.abs(change))}`;
}

/** What the verifiers and the attempts have to do with it. */
function courseReasons({ broken, mended, moreAttempts }: CoursePoint): readonly string[] {
  const list = (names: readonly string[]) =>
    names
      .slice(0, 10)
      .map((name) => codeInCell(name))
      .join(', ');
  const attempts = counted(Math.abs(moreAttempts), 'attempt');
  return said([
    mended.length > 0 && `${list(mended)} now passing`,
    broken.length > 0 && `${list(broken)} now failing`,
    moreAttempts !== 0 && `${attempts} ${moreAttempts > 0 ? 'more' : 'fewer'}`,
  ]);
}
