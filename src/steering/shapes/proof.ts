import type { CheckReport } from './check-report.ts';
import type { Settings } from './settings.ts';

/**
 * What a change is worth when it is run: against the tests as they were, and the new tests without it.
 * Evidence for people and for the gate on weakened tests; what changes behaviour caps the score.
 */
export interface Proof {
  /** The test files that the change touches, at most 100. */
  readonly tests: readonly string[];
  /** The verifiers with the test files as they are on the base: "old tests, new code". Green is good. */
  readonly old_tests: ProofRun;
  /**
   * The verifiers with the new test files on the code of the base: "new tests without the change"; red is
   * good.
   */
  readonly without_change: ProofRun;
}

/** One run of the verifiers that decides nothing by itself, or why there was none. */
export type ProofRun =
  | { readonly outcome: 'ran'; readonly verifiers: readonly ProofResult[]; readonly duration_s: number }
  /** `why` is part of a sentence, such as `no test file was changed`. */
  | { readonly outcome: 'skipped'; readonly why: string };

export interface ProofResult {
  readonly name: string;
  readonly success: boolean;
  /** -1 when the command could not start. */
  readonly exit_code: number;
  readonly timed_out: boolean;
  /** How many tests it ran; absent if that is not known, and in ledgers of older versions. */
  readonly tests?: number;
  /** It has passed and failed on the same tree, so it says nothing; absent if it has not. */
  readonly flaky?: true;
}

/** Whether a verifier fails in it. */
export function isRed(run: ProofRun): boolean {
  return run.outcome === 'ran' && run.verifiers.some(({ success }) => !success);
}

/**
 * Whether the code does something else than before and the tests follow: verifiers that pass now fail with
 * the old tests, and without the change as well. Whether that was wanted, nobody can tell from running.
 */
export function changesBehaviour(
  proof: Proof | undefined,
  verifiers: readonly { readonly name: string; readonly success: boolean }[],
): boolean {
  const passing = verifiers.filter(({ success }) => success).map(({ name }) => name);
  const fails = (run: ProofRun) =>
    run.outcome === 'ran' && run.verifiers.some(({ name, success }) => !success && passing.includes(name));
  return proof !== undefined && fails(proof.old_tests) && fails(proof.without_change);
}

/** The verifiers on the base without the change: what is red there was red before. */
export interface Baseline {
  /** The commit of the base. */
  readonly base: string;
  readonly run: ProofRun;
}

/** Those of the verifiers that fail on the base without the change as well, as far as that is known. */
export function redBefore(baseline: Baseline | undefined, names: readonly string[]): readonly string[] {
  if (baseline?.run.outcome !== 'ran') return [];
  const red = baseline.run.verifiers.filter(({ success }) => !success).map(({ name }) => name);
  return names.filter((name) => red.includes(name));
}

/** The baseline with the checks of CI that are red on the base, too; nothing changes if none is. */
export function withRedChecks(
  baseline: Baseline | undefined,
  reports: readonly CheckReport[],
): { readonly baseline?: Baseline } {
  const red = reports.filter(({ red_on_base }) => red_on_base !== undefined);
  const [first] = red;
  if (first?.red_on_base === undefined) return baseline === undefined ? {} : { baseline };
  const known = baseline?.run.outcome === 'ran' ? baseline.run : { verifiers: [], duration_s: 0 };
  const added = red.map(({ name }) => ({ name, success: false, exit_code: 1, timed_out: false }));
  const verifiers = [...known.verifiers, ...added];
  const run = { outcome: 'ran', verifiers, duration_s: known.duration_s } as const;
  return { baseline: { base: baseline?.base ?? first.red_on_base, run } };
}

/** People wait for the result, so each run has a bound, whatever the verifiers themselves may take. */
const longestMs = 30 * 60_000;

/** A cache may have been warm, or a machine idle, the first time. */
const factor = 3;
const marginMs = 60_000;

type Timed = Pick<Settings, 'verifiers' | 'limits'>;

/**
 * How long the verifiers may take when they are run once more, in milliseconds, given what they took on the
 * change; undefined if that was so long that it is not tried.
 */
export function trialTime(settings: Timed, tookMs: number): number | undefined {
  if (tookMs > longestMs) return undefined;
  return Math.ceil(Math.min(factor * tookMs + marginMs, longestTrialMs(settings)));
}

/** How long a run of the verifiers may take at most, whatever they took before. */
function longestTrialMs({ verifiers, limits }: Timed): number {
  const own = verifiers.reduce((total, { timeout_s }) => total + timeout_s * 1000, limits.minutes * 60_000);
  return Math.min(own, longestMs);
}

/** How long all of it may take that follows the verifiers of a change, in seconds. */
export function longestTrialsS(settings: Timed): number {
  // A change whose verifiers pass is proven in two runs; one that fails may wait for others, and then run.
  return settings.verifiers.length === 0 ? 0 : (2 * longestTrialMs(settings)) / 1000;
}

/** Whether others can be waited for and the verifiers be run, when trials have taken `spentMs` already. */
export function leavesTimeForBaseline(settings: Timed, tookMs: number, spentMs: number): boolean {
  const once = trialTime(settings, tookMs);
  return once !== undefined && spentMs + 2 * once <= longestTrialsS(settings) * 1000;
}
