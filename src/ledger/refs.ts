import { isOver } from '../steering/phases/table.ts';
import type { Phase } from '../steering/shapes/standing.ts';

/** Ledgers of open runs, which the sweep reads, and of ended runs. */
export type RefNamespace = 'open' | 'closed';

/** Runs that have ended are closed; all others are open. */
export function namespaceOf(phase: Phase): RefNamespace {
  return isOver(phase) ? 'closed' : 'open';
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

/** Where a commit is for as long as GitHub signs it: what it does not have, it cannot sign. */
export function unsignedRef(sha: string): string {
  return `${unsignedRefs}/${sha}`;
}

/** The folder of all of these. */
export const unsignedRefs = 'refs/coxswain/unsigned';

/** How the runs of a repository ended. */
export const outcomesRef = 'refs/coxswain/outcomes';

/** Keeps outcomes that are not all ours, named after their commit. */
export function brokenOutcomesRef(sha: string): string {
  return `refs/coxswain/broken/outcomes-${sha}`;
}
