import type { Found, FoundConcern, FoundReview, VerifierOutput } from '../shapes/attempt-result.ts';
import { meaningOf } from '../shapes/gate-rules.ts';
import { changesBehaviour } from '../shapes/proof.ts';
import { type Band, bandOf, decisionBy, type ScoreInputs, scoreOf } from '../shapes/score.ts';
import type { Settings } from '../shapes/settings.ts';
import type { Stamp } from '../state/event.ts';
import type { Concern, Evaluation, Review, State, SteeringIteration } from '../state/state.ts';
import { isFlaky } from './verifier-results.ts';

/** What people review: the commit with its verifier results, gates and confidence. */
export function evaluate(state: State, event: Stamp & Found): Evaluation {
  const gates = [...event.gates, ...(state.ran ?? [])];
  const { mode, threshold } = state.settings.approval;
  const review = reviewOf(state, event.head);
  const inputs: ScoreInputs = {
    verifiers: {
      passed: event.verifiers.filter(({ success }) => success).length,
      total: event.verifiers.length,
    },
    reviewer: review?.confidence ?? null,
    retries: Math.max(state.attempts_used - 1, 0),
    max_retries: state.settings.attempts.max - 1,
    destructive: gates.some(({ rule }) => meaningOf(rule)?.destroys === true),
    tool_calls: toolCalls(state),
    uncertain: state.report?.status === 'uncertain',
    // Where people decide anyhow, they see what the tests say.
    changes_behaviour: mode !== 'manual' && changesBehaviour(event.proof, event.verifiers),
  };
  const confidence = scoreOf(inputs);
  const scored = {
    confidence,
    ...(inputs.reviewer !== null && { without_review: scoreOf({ ...inputs, reviewer: null }) }),
  };
  const decision = decisionBy(scored, { gated: gates.length > 0, mode, threshold });
  return {
    head_sha: event.head,
    at: event.at,
    changes: event.changes,
    ...(event.commits !== undefined && { commits: event.commits }),
    verifiers: event.verifiers,
    gates,
    ...factsOf(state, event),
    ...scored,
    decision,
  };
}

/** What was found out about the commit besides its verifiers and gates. */
function factsOf(
  { settings }: State,
  { subject, remarks, proof, baseline, merged_with, authority, merged_runs }: Found,
): Partial<Evaluation> {
  const off = settings.gates?.off ?? [];
  return {
    ...(off.length > 0 && { gates_off: off }),
    ...(subject !== undefined && { subject }),
    ...(remarks !== undefined && { remarks }),
    ...(proof !== undefined && { proof }),
    ...(baseline !== undefined && { baseline }),
    ...(merged_with !== undefined && { merged_with }),
    ...(authority !== undefined && { authority }),
    ...(merged_runs !== undefined && { merged_runs }),
  };
}

function toolCalls(state: State): { succeeded: number; total: number; denied: number } {
  const calls = state.report?.tool_calls ?? [];
  const counted = calls.filter(({ outcome }) => outcome !== 'denied');
  const succeeded = counted.filter(({ outcome }) => outcome === 'ok').length;
  return { succeeded, total: counted.length, denied: calls.length - counted.length };
}

/** What the pull request's table shows about the iteration. */
export function summarize(
  state: State,
  shown: Evaluation,
  own_files: readonly string[] | undefined,
): Partial<SteeringIteration> {
  return {
    head_after: shown.head_sha,
    files_modified: own_files ?? shown.changes.files.map(({ path }) => path),
    files_of: own_files === undefined ? 'run' : 'iteration',
    output: state.report?.summary ?? '',
    attempts: state.attempt,
    score: shown.confidence.score,
    formula: shown.confidence.formula,
    verifiers: shown.verifiers.map((output) => ({
      ...{ name: output.name, success: output.success },
      ...(!output.required && { required: output.required }),
      ...(isFlaky(output) && { flaky: true }),
    })),
  };
}

/** Whether a verifier now fails that passed or was not there, or a gate is hit that was not. */
export function isWorse(before: Evaluation, now: Evaluation): boolean {
  const passed = now.verifiers.filter(({ success }) => success).map(({ name }) => name);
  const failed = before.verifiers.filter(({ success }) => !success).map(({ name }) => name);
  const known = before.gates.map(({ rule }) => rule);
  return (
    now.verifiers.some(({ name }) => !passed.includes(name) && !failed.includes(name)) ||
    now.gates.some(({ rule }) => !known.includes(rule))
  );
}

/** The required verifiers that failed, by name. */
export function failedRequired(verifiers: readonly VerifierOutput[]): readonly string[] {
  return verifiers.filter(({ required, success }) => required && !success).map(({ name }) => name);
}

type Severity = FoundConcern['severity'];
const severities: readonly Severity[] = ['low', 'medium', 'high'];

/** Settled ones are only kept so that they do not come back. */
const maxConcerns = 100;

/**
 * The second opinion on a head, with what became of the concerns of the one before. It converges: what it is
 * concerned about keeps its id until that is settled.
 */
export function reviewed(before: Review | undefined, head: string, found: FoundReview): Review {
  const { by, confidence, problem, omitted, partial } = found;
  const known = (before?.concerns ?? []).map((concern) => movedBy(concern, found));
  const given = {
    head,
    by,
    confidence,
    ...(problem !== undefined && { problem }),
    ...(omitted && { omitted }),
    ...(partial && { partial }),
  };
  if (confidence === null) return { ...given, concerns: known };
  const kept = known.map((concern) => updated(concern, found));
  // A reviewer may number its concerns itself: an id that is settled is no other one's.
  const fresh = found.concerns.filter(
    ({ id }) => !openConcerns({ concerns: known }).some((each) => each.id === id),
  );
  const added = fresh
    .filter((concern) => !known.some((each) => isOverruled(each, concern)))
    .map(
      ({ id: _, ...concern }, index): Concern => ({
        ...concern,
        ...{ id: `c${countOf(known) + index + 1}`, state: 'open' },
      }),
    );
  const all = [...kept, ...added];
  const isKept = worthKeeping(all);
  return { ...given, concerns: all.filter(isKept) };
}

/** Whether people have dismissed just that, and it was no milder then. */
function isOverruled({ state, file, text, severity }: Concern, again: FoundConcern): boolean {
  const isSame = state === 'dismissed' && file === again.file && text === again.text;
  return isSame && !isGraver(again.severity, severity);
}

function isGraver(now: Severity, before: Severity): boolean {
  return severities.indexOf(now) > severities.indexOf(before);
}

/** The concern with its line as it is now: what is before it may have grown since. */
function movedBy(concern: Concern, { lines = {} }: FoundReview): Concern {
  const line = lines[concern.id];
  return line === undefined ? concern : { ...concern, line };
}

/** The highest number of a concern so far. */
function countOf(known: readonly Concern[]): number {
  return Math.max(0, ...known.map(({ id }) => Number(id.slice(1))));
}

/**
 * An open concern as the reviewer sees it now: what it names again is not settled, whatever else it says. A
 * severity only rises where its lines have changed.
 */
function updated(concern: Concern, { concerns, resolved, withdrawn, touched }: FoundReview): Concern {
  const { id, severity } = concern;
  if (concern.state !== 'open') return concern;
  const now = concerns.find((each) => each.id === id);
  if (now === undefined) {
    if (resolved.includes(id)) return { ...concern, state: 'resolved' };
    return withdrawn.includes(id) ? { ...concern, state: 'withdrawn' } : concern;
  }
  const mayRise = touched.includes(id) || !isGraver(now.severity, severity);
  return { ...concern, ...now, id, severity: mayRise ? now.severity : severity };
}

/** All because of which people may decide, and the newest of the others. */
function worthKeeping(all: readonly Concern[]): (concern: Concern) => boolean {
  const settled = all.filter(({ state }) => state !== 'open').slice(-maxConcerns);
  const overruled = overruledConcerns({ concerns: all });
  return (concern) => concern.state === 'open' || settled.includes(concern) || overruled.includes(concern);
}

/** The opinion on the head, where the configuration wants one; undefined if there is none. */
export function reviewOf(
  { settings, review }: State & { readonly settings: Pick<Settings, 'review'> },
  head: string,
): Review | undefined {
  return settings.review !== undefined && review?.head === head ? review : undefined;
}

/** What it is concerned about and nobody has settled, the worst first. */
export function openConcerns({ concerns }: Pick<Review, 'concerns'>): readonly Concern[] {
  const open = concerns.filter(({ state }) => state === 'open');
  return open.toSorted((one, other) => severities.indexOf(other.severity) - severities.indexOf(one.severity));
}

/** The open concerns because of which people decide in any mode. */
export function graveConcerns(review: Pick<Review, 'concerns'> | undefined): readonly Concern[] {
  return review === undefined ? [] : openConcerns(review).filter(({ severity }) => severity === 'high');
}

/** Grave ones that people dismissed: then people decide about the rest of the run, too. */
export function overruledConcerns({ concerns }: Pick<Review, 'concerns'>): readonly Concern[] {
  return concerns.filter(({ state, severity }) => state === 'dismissed' && severity === 'high');
}

/** The confidence of one iteration, and how it came about since the one before with a score. */
export interface CoursePoint {
  readonly iteration: number;
  readonly score: number;
  readonly band: Band;
  /** The version of the formula. */
  readonly formula: string;
  /** Since the point before; null for the first, and where another formula makes it incomparable. */
  readonly change: number | null;
  /** Verifiers that fail and passed before, or were not there. */
  readonly broken: readonly string[];
  /** Verifiers that pass and failed before. */
  readonly mended: readonly string[];
  /** How many more attempts it took; negative for fewer. */
  readonly moreAttempts: number;
}

/** What ledgers without a version of the formula were written with. */
const firstFormula = 'coxswain-1';

/** The course of the confidence over the iterations that have a score, oldest first. */
export function courseOf({ iterations }: Pick<State, 'iterations'>): readonly CoursePoint[] {
  const scored = iterations.filter(isScored);
  return scored.map((iteration, index) => pointOf(iteration, scored[index - 1]));
}

type Scored = SteeringIteration & { readonly score: number };

function isScored(iteration: SteeringIteration): iteration is Scored {
  return iteration.score !== null;
}

function pointOf(iteration: Scored, before: Scored | undefined): CoursePoint {
  const { iteration_number, score, formula = firstFormula } = iteration;
  const isComparable = before !== undefined && (before.formula ?? firstFormula) === formula;
  const failedBefore = failed(before);
  const failedNow = failed(iteration);
  const passedNow = iteration.verifiers.filter(({ success }) => success).map(({ name }) => name);
  return {
    ...{ iteration: iteration_number, score, band: bandOf(score), formula },
    change: isComparable ? rounded(score - before.score) : null,
    broken: before === undefined ? [] : failedNow.filter((name) => !failedBefore.includes(name)),
    mended: failedBefore.filter((name) => passedNow.includes(name)),
    moreAttempts: before === undefined ? 0 : iteration.attempts - before.attempts,
  };
}

function failed(iteration: SteeringIteration | undefined): readonly string[] {
  return (iteration?.verifiers ?? []).filter(({ success }) => !success).map(({ name }) => name);
}

/** Rounds to six decimals, as scores are rounded. */
function rounded(change: number): number {
  return Math.round(change * 1e6) / 1e6;
}
