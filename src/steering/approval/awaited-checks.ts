import { type CheckReport, hasEnded } from '../shapes/check-report.ts';
import type { CheckSpec } from '../shapes/settings.ts';
import { type AwaitedChecks, isAwaitingChecks } from '../shapes/standing.ts';
import type { State } from '../state/state.ts';

/** What a run waits for of its CI, and until when. */

/** When the next check is no longer waited for, ISO 8601; null while none is. */
export function checksDeadline(state: Pick<State, 'standing' | 'settings'>): string | null {
  if (!isAwaitingChecks(state.standing)) return null;
  const { awaits } = state.standing;
  const times = unsettled(state).map((spec) => untilOf(awaits, spec));
  return times.toSorted((one, other) => Date.parse(one) - Date.parse(other))[0] ?? null;
}

/** The checks that are still waited for, each with until when, ISO 8601. */
export function awaitedChecks(
  state: Pick<State, 'standing' | 'settings'>,
): readonly { readonly spec: CheckSpec; readonly until: string; readonly seen: CheckReport | undefined }[] {
  if (!isAwaitingChecks(state.standing)) return [];
  const { awaits } = state.standing;
  return unsettled(state).map((spec) => ({
    ...{ spec, until: untilOf(awaits, spec) },
    seen: reportOn(awaits.seen, spec),
  }));
}

/** Those that have neither ended nor run out of time. */
export function unsettled({ settings: { checks = [] }, standing }: Pick<State, 'settings' | 'standing'>) {
  if (!isAwaitingChecks(standing)) return [];
  const { awaits } = standing;
  return checks.filter((spec) => !hasEnded(reportOn(awaits.seen, spec)) && !isLate(awaits, spec));
}

export function isLate({ late }: AwaitedChecks, { name }: CheckSpec): boolean {
  return late.includes(name);
}

/** ISO 8601 */
export function untilOf({ since }: AwaitedChecks, { timeout_s }: CheckSpec): string {
  return new Date(Date.parse(since) + timeout_s * 1000).toISOString();
}

/** What GitHub says of a check, if it is there. */
export function reportOn(seen: readonly CheckReport[], { name }: CheckSpec): CheckReport | undefined {
  return seen.find((report) => report.name === name);
}
