import { isLeased, type Lease } from '../../steering/shapes/standing.ts';
import { isBefore } from '../../steering/shapes/time.ts';
import type { State } from '../../steering/state/state.ts';
import type { Run } from './run.ts';

export interface SweepOptions {
  /** Whether the holder of this lease is known to be gone, so that the lease need not expire first. */
  isGone(hold: Lease): boolean | Promise<boolean>;
}

/** Hands work to another process if the one that holds its lease is gone, or had it for too long. */
export async function releaseLost(
  run: Pick<Run, 'record'>,
  { standing }: State,
  { isGone, now }: SweepOptions & { readonly now: Date },
): Promise<void> {
  if (!isLeased(standing)) return;
  const { hold } = standing;
  const at = now.toISOString();
  if (!isBefore(hold.until, at) && !(await isGone(hold))) return;
  await run.record({ type: 'hold_lost', id: `hold_lost:${hold.holder}`, at, hold });
}
