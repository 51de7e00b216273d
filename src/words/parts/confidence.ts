import { type CoursePoint, courseOf } from '../../steering/confidence/evaluation.ts';
import { table } from '../../steering/phases/table.ts';
import { testsChange } from '../../steering/phrases/phrases.ts';
import { changesBehaviour, type ProofResult, type ProofRun } from '../../steering/shapes/proof.ts';
import { isAskingHuman } from '../../steering/shapes/standing.ts';
import type { Evaluation, State } from '../../steering/state/state.ts';
import { counted } from '../../text/amounts.ts';
import { peopleReasons } from './approval-texts.ts';
import { capText, commit, decisionTexts, evidenceText, scoreText, valueText } from './common-phrases.ts';
import {
  code,
  codeInCell,
  type Format,
  markdown,
  type Part,
  paragraphs,
  plain,
  said,
  under,
} from './sanitize.ts';

/** `**Confidence** 0.87, high: …`, with the decision while people are asked for it; empty without a score. */
export function confidenceLine(state: State): string {
  const text = confidenceText(state, markdown);
  return text && `**Confidence** ${text}`;
}

export function confidenceText(state: State, format: Format): string {
  if (state.shown === null) return '';
  const { score, band, components, caps } = state.shown.confidence;
  const evidence = [...components.map(evidenceText), ...caps.map(capText)].map((each) => format.text(each));
  return `${scoreText(score)}, ${band}: ${evidence.join(', ')}. ${decisionText(state, format)}`.trim();
}

/** Shows components, weights, evidence, caps, the formula's version, the proof, and the course until now. */
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

/** Says what follows from the confidence; empty unless people are asked about the commit that it is of. */
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

/** Says what the verifiers and the attempts have to do with it. */
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

type Proven = Pick<Evaluation, 'proof' | 'baseline' | 'merged_with' | 'base_now' | 'verifiers' | 'remarks'>;

/** Says what running the tests against the base has shown; empty if that was neither done nor left out. */
export function proofText(shown: Proven): string {
  const { proof, baseline, merged_with, base_now, remarks = [] } = shown;
  const lines = said([
    merged_with && `The verifiers ran on the merge with the base at ${commit(merged_with)}`,
    base_now &&
      `The base has moved since: by ${counted(base_now.commits, 'commit')}, to ${commit(base_now.sha)}; the merge with it is verified before the run is finished`,
    baseline && `Before this change, at ${commit(baseline.base)}: ${baselineText(baseline.run)}`,
    proof && `Old tests, new code: ${oldTests(proof.old_tests, shown)}`,
    proof && `New tests without the change: ${withoutChange(proof.without_change, shown)}`,
    behaviourText(shown),
    ...remarks.map((remark) => `Look at: ${markdown.text(remark)}`),
  ]);
  return under(
    '**What the tests are worth**',
    lines.map((line) => `- ${line}`),
  );
}

/** The verifiers that fail on the base without the change; none if that is not known. */
export function namesRedBefore({ baseline }: Pick<Evaluation, 'baseline'>): readonly string[] {
  return baseline?.run.outcome === 'ran' ? failing(baseline.run.verifiers).map(({ name }) => name) : [];
}

function baselineText(run: ProofRun): string {
  if (run.outcome === 'skipped') return notRun(run.why);
  const red = failing(run.verifiers);
  return red.length === 0 ? 'green' : `red: ${listed(red)}`;
}

function oldTests(run: ProofRun, shown: Proven): string {
  if (run.outcome === 'skipped') return notRun(run.why);
  const red = failing(run.verifiers);
  if (red.length === 0) return `green, as it should be: ${listed(run.verifiers)}`;
  const known = namesRedBefore(shown);
  const isGreenNow = ({ name }: ProofResult) =>
    shown.verifiers.some((each) => each.name === name && each.success);
  const changed = red.filter(isGreenNow);
  if (changed.length === 0) return `red as with the new tests: ${listed(red)}`;
  if (changed.every(({ name }) => known.includes(name)))
    return `red as before this change: ${listed(changed)}`;
  return `red: ${listed(changed)}, so it passes only with the changed tests`;
}

function withoutChange(run: ProofRun, shown: Proven): string {
  if (run.outcome === 'skipped') return notRun(run.why);
  const red = failing(run.verifiers);
  const known = namesRedBefore(shown);
  // What fails with the change, too, says nothing about it.
  const fails = (name: string) => shown.verifiers.some((each) => each.name === name && !each.success);
  const noticed = red.filter(({ name }) => !known.includes(name) && !fails(name));
  if (noticed.length > 0) return `red, as it should be: ${listed(noticed)}`;
  const isKnown = run.verifiers.every(({ flaky }) => !flaky);
  const none = `${isKnown ? '' : 'as far as that can be told, '}the tests do not notice that the change is missing`;
  const how = red.length === 0 ? 'green' : 'red only as before this change';
  return `${how}: ${listed(run.verifiers)}; ${none}`;
}

const maxFiles = 10;

/** Which of the tests are right, the ones before or those now, only people know. */
function behaviourText({ proof, verifiers }: Proven): Part {
  if (proof === undefined || !changesBehaviour(proof, verifiers)) return undefined;
  const files = proof.tests.slice(0, maxFiles).map((path) => markdown.name(path));
  const more = proof.tests.length > maxFiles ? ` and ${proof.tests.length - maxFiles} more` : '';
  return `Behavior ${testsChange}: see what is now expected in ${files.join(', ')}${more}`;
}

function notRun(why: string): string {
  return `not run: ${markdown.text(why)}`;
}

function failing(results: readonly ProofResult[]): readonly ProofResult[] {
  return results.filter(({ success }) => !success);
}

const maxResults = 20;

function listed(results: readonly ProofResult[]): string {
  const shown = results
    .slice(0, maxResults)
    .map((result) => `${markdown.name(result.name)} ${verdict(result)}`);
  return said([...shown, results.length > maxResults && `${results.length - maxResults} more`]).join(', ');
}

function verdict({ success, exit_code, timed_out, flaky }: ProofResult): string {
  if (flaky) return 'passes in some runs only';
  if (success) return 'passes';
  if (timed_out) return 'timed out';
  return exit_code === -1 ? 'could not start' : `fails (exit code ${exit_code})`;
}
