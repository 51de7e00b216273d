import { BranchObstructed, PushRefused } from '../../git/claim-branch.ts';
import { GitHubFault, MissingPermission } from '../../github/octokit/fault.ts';
import { LedgerBroken, LedgerTooNew } from '../../ledger/errors.ts';
import type { StartRefusal } from '../../words/start-texts.ts';
import { messageOf } from '../repository/faults.ts';
import { NotSigned } from '../repository/signing.ts';

/** The run cannot start for a reason that a person can fix; thrown so that every step stops. */
export class CannotStart extends Error {
  override name = 'CannotStart';
  readonly refusal: StartRefusal;

  constructor(refusal: StartRefusal) {
    super(`the run cannot start: ${refusal.why}`);
    this.refusal = refusal;
  }
}

/** The reason to give to the requester; undefined for an outage, which is retried instead. */
export function refusalFrom(fault: unknown): StartRefusal | undefined {
  if (fault instanceof CannotStart) return fault.refusal;
  if (fault instanceof LedgerBroken || fault instanceof LedgerTooNew)
    return { why: 'ledger_lost', what: fault.message };
  if (mayNotPush(fault)) return { why: 'missing_permission', message: noContents(messageOf(fault)).message };
  if (fault instanceof NotSigned) return { why: 'not_signed', reason: fault.reason };
  if (fault instanceof PushRefused) return { why: 'push_refused', reason: fault.reason };
  if (fault instanceof BranchObstructed) return { why: 'obstructed', branch: fault.obstacle };
  if (fault instanceof MissingPermission) return { why: 'missing_permission', message: fault.message };
  if (fault instanceof GitHubFault && !fault.retriable)
    return { why: 'github_refused', reason: fault.message };
  return undefined;
}

/** GitHub answers Git with 403 if the token may not write contents; Git has no more specific error. */
function mayNotPush(fault: unknown): boolean {
  return /The requested URL returned error: 403/.test(messageOf(fault));
}

function noContents(reason: string): MissingPermission {
  return new MissingPermission({ doing: 'pushing the branch', permission: 'contents=write', reason });
}
