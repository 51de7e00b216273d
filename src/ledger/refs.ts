import type { Phase } from '../steering/state.ts';

/** Where a run's ledger is kept: with the live ones, which the sweep reads, or with those that are over. */
export type Place = 'open' | 'closed';

const places: Readonly<Record<Phase, Place>> = {
  queued: 'open',
  working: 'open',
  verifying: 'open',
  awaiting_approval: 'open',
  awaiting_resolution: 'open',
  paused: 'open',
  approved: 'open',
  timed_out: 'open',
  failed: 'open',
  done: 'closed',
  rejected: 'closed',
  cancelled: 'closed',
};

/** Closed is what can only be reopened; whatever still waits for somebody is open. */
export function livesIn(phase: Phase): Place {
  return places[phase];
}

/** The ledger of pull request `number` while it is at that place. */
export function ledgerRef(place: Place, number: number): string {
  return `refs/coxswain/${place}/${number}`;
}

/** Where a ledger that is not what we wrote is kept aside: by the commit, or whatever object, it was at. */
export function brokenRef(number: number, sha: string): string {
  return `refs/coxswain/broken/${number}-${sha}`;
}

/** Whether a value from a file is a phase. */
export function isPhase(phase: unknown): phase is Phase {
  return typeof phase === 'string' && Object.hasOwn(places, phase);
}
