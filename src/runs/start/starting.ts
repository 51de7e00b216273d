import { BranchObstructed, PushRefused } from '../../git/claim-branch.ts';
import type { StartRequest } from '../../github/listen/heard.ts';
import { GitHubFault, MissingPermission } from '../../github/octokit/fault.ts';
import { LedgerBroken, LedgerTooNew } from '../../ledger/errors.ts';
import { messageOf } from '../../repository/faults.ts';
import { NotSigned } from '../../repository/signing.ts';
import type { Contributors } from '../../steering/shapes/people.ts';
import type { TaskOverrides } from '../../steering/shapes/settings.ts';
import type { SettledInteraction } from '../../steering/shapes/standing.ts';
import type { EarlierRun, Replaced, Task } from '../../steering/shapes/task.ts';
import type { StartRefusal } from '../../words/start-texts.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';

/** A start in progress. */
export interface Starting {
  readonly request: StartRequest;
  readonly runs: RepositoryRuns;
  readonly startOptions: StartOptions;
  /** Present if the run takes the place of another one. */
  readonly inPlace?: InPlace;
}

/** A run that takes the place of another one: its task is known, and what goes along with it. */
export interface InPlace {
  readonly task: Task;
  readonly replaces: Replaced;
  readonly inherited: readonly SettledInteraction[];
  readonly contributors: Contributors;
  /** It begins with commits that are not all an agent's. */
  readonly others_pushed?: true;
  /** It begins with work on which the CI of the repository must not run yet. */
  readonly skips_ci?: true;
  readonly earlier: readonly EarlierRun[];
  /** The head of a branch that it begins from; absent: the tip of its base. */
  readonly from?: { readonly branch: string; readonly head: string };
}

/** Options in addition to the task. */
export interface StartOptions {
  readonly base?: string | null;
  /** The worker profile that the task names. */
  readonly worker_profile?: string;
  /** What the task tightens, as `withOverrides` takes it. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** What blocks or a form tighten besides that, one after the other. */
  readonly written?: readonly TaskOverrides[];
  /** The part of that which is not the workflow's own, but filled in by whoever started it by hand. */
  readonly filledIn?: Readonly<Record<string, unknown>>;
}

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
