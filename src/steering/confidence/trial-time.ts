import type { Settings } from '../shapes/settings.ts';

/** People wait for the result, so each run has a bound, whatever the verifiers themselves may take. */
const longestMs = 30 * 60_000;

/** Where a cache was warm, or a machine idle, the first time. */
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

/** The same, whatever they take. */
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
