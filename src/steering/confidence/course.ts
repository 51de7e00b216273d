import { type Band, bandOf } from '../shapes/score.ts';
import type { State, SteeringIteration } from '../state/state.ts';

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

/** Six decimals, as scores have. */
function rounded(change: number): number {
  return Math.round(change * 1e6) / 1e6;
}
