import type { Phase } from '../steering/standing.ts';

/** Where a run's ledger is kept: with the live ones, which the sweep reads, or with those that are over. */
export type RefNamespace = 'open' | 'closed';

const namespaces: Readonly<Record<Phase, RefNamespace>> = {
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
export function namespaceOf(phase: Phase): RefNamespace {
  return namespaces[phase];
}

/** The ledger of pull request `number` while it is at that place. */
export function ledgerRef(namespace: RefNamespace, number: number): string {
  return `refs/coxswain/${namespace}/${number}`;
}

/** Where a ledger that is not what we wrote is kept aside: by the commit, or whatever object, it was at. */
export function brokenRef(number: number, sha: string): string {
  return `refs/coxswain/broken/${number}-${sha}`;
}

/** Whether a value from a file is a phase. */
export function isPhase(phase: unknown): phase is Phase {
  return typeof phase === 'string' && Object.hasOwn(namespaces, phase);
}
