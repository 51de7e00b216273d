import type { Phase } from '../steering/standing.ts';

/** Ledgers of open runs, which the sweep reads, and of ended runs. */
export type RefNamespace = 'open' | 'closed';

const namespaces: Readonly<Record<Phase, RefNamespace>> = {
  blocked: 'open',
  queued: 'open',
  working: 'open',
  verifying: 'open',
  awaiting_approval: 'open',
  awaiting_answer: 'open',
  awaiting_stage: 'open',
  awaiting_permission: 'open',
  awaiting_resolution: 'open',
  paused: 'open',
  approved: 'open',
  timed_out: 'open',
  failed: 'open',
  done: 'closed',
  rejected: 'closed',
  cancelled: 'closed',
  abandoned: 'closed',
};

/** Runs that have ended are closed; all others are open. */
export function namespaceOf(phase: Phase): RefNamespace {
  return namespaces[phase];
}

/** The ledger ref of pull request `number` in this namespace. */
export function ledgerRef(namespace: RefNamespace, number: number): string {
  return `refs/coxswain/${namespace}/${number}`;
}

/** Keeps an invalid ledger, named after the object it pointed to. */
export function brokenRef(number: number, sha: string): string {
  return `refs/coxswain/broken/${number}-${sha}`;
}

/** Keeps a commit that is not on the branch; outside of branches, a push starts no workflow. */
export function keptRef(number: number, sha: string): string {
  return `refs/coxswain/kept/${number}/${sha}`;
}

/** How the runs of a repository ended. */
export const outcomesRef = 'refs/coxswain/outcomes';

/** Keeps outcomes that are not all ours, named after their commit. */
export function brokenOutcomesRef(sha: string): string {
  return `refs/coxswain/broken/outcomes-${sha}`;
}

/** Whether a value is the name of a phase. */
export function isPhase(phase: unknown): phase is Phase {
  return typeof phase === 'string' && Object.hasOwn(namespaces, phase);
}
