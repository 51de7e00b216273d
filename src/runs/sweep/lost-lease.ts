import type { Lease } from '../../steering/lease.ts';

export interface SweepOptions {
  /** Whether the holder of a lease is known to be gone, so that the lease need not expire first. */
  isGone(holder: string): boolean;
}

/** Whether nobody works under a lease any more: its process is gone, or has not come back in time. */
export function isLost(
  { holder, until }: Pick<Lease, 'holder' | 'until'>,
  { isGone, now }: SweepOptions & { readonly now: Date },
): boolean {
  return isGone(holder) || Date.parse(until) < now.getTime();
}
