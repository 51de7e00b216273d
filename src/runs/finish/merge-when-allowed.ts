import { GitHubFault, MissingPermission } from '../../github/octokit/fault.ts';
import { readBranchRules, requiresOwnCheck } from '../../github/read/branch-rules.ts';
import { lastClosing, readPull } from '../../github/read/pulls.ts';

import { disableAutoMerge, enableAutoMerge } from '../../github/write/auto-merge.ts';
import { type Merged, type MergeRequest, mergePull } from '../../github/write/merge.ts';
import { approvedAt } from '../../steering/approval/auto-approval.ts';
import { hasFailed, tried } from '../../steering/process-state.ts';
import { isBefore } from '../../steering/shapes/time.ts';
import type { State } from '../../steering/state/state.ts';
import { type MergeInstead, type MergeWait, squashBody } from '../../words/parts/merge-texts.ts';
import type { Clock } from '../repository/github-clock.ts';
import type { Run } from '../run/run.ts';
import type { Services } from '../run/services.ts';
import type { Finishable } from './check-finish.ts';
import { isStillApproved } from './check-finish.ts';

/** How long after its approval a commit may still be merged by us, in milliseconds. */
const patienceMs = 7 * 24 * 60 * 60_000;

/** States in which GitHub would refuse, so that it need not be asked. */
const refusedStates = ['blocked', 'behind', 'dirty', 'draft'];

/** A run that may be merged as soon as GitHub's own rules allow it. */
export interface WaitingMerge extends Finishable {
  readonly services: Services;
  /** Says on the pull request, once for each commit, why it is not merged yet. */
  readonly tell: (wait: MergeWait, state: State) => Promise<void>;
  /** Whether this process has said it of this commit. */
  readonly hasTold: (state: State) => boolean;
}

/**
 * Has GitHub merge by itself only where the base requires our check from our App: elsewhere auto-merge would
 * not wait for it, and would merge what nobody approved. There, and where GitHub refuses, we wait and merge
 * the approved commit ourselves.
 */
export async function mergeWhenAllowed(run: Run, waiting: WaitingMerge): Promise<void> {
  const { octokit, own } = run.repository;
  const { pull, settings } = waiting;
  const rules = await readBranchRules(octokit, run.repository, pull.base_ref);
  const check = settings.check;
  const isSourced = requiresOwnCheck(rules, check, own);
  if (pull.auto_merge !== null && !isSourced && pull.auto_merge.by === own.login)
    await disableAutoMerge(octokit, pull);
  else if (pull.auto_merge !== null) return;
  if (!isSourced) return mergeOurselves(run, waiting, { why: 'unsourced', check });
  if (!isStillApproved(run, waiting.state)) return;
  const enabled = await enableAutoMerge(octokit, { node_id: pull.node_id, ...mergeRequest(waiting) });
  if (enabled.outcome === 'enabled') return;
  const reason = enabled.outcome === 'clean' ? 'nothing is missing' : enabled.reason;
  return mergeOurselves(run, waiting, { why: 'refused', reason });
}

/**
 * Merges the approved commit if GitHub allows it, and otherwise says once what is missing. A refusal never
 * ends the run: what is missing may come.
 */
export async function mergeOurselves(run: Run, waiting: WaitingMerge, instead: MergeInstead): Promise<void> {
  const { pull, state, services, tell, hasTold } = waiting;
  const until = patienceOf(state);
  if (isBefore(until, services.clock.now().toISOString()))
    return tell({ reason: '', instead: { why: 'over' }, until }, state);
  const reason = pull.mergeable_state ?? '';
  // GitHub names what is missing only in its answer to a merge; one such answer is enough.
  const isWorthAsking = reason === 'blocked' && !hasTold(state);
  if (refusedStates.includes(reason) && !isWorthAsking) return tell({ reason, instead, until }, state);
  // What was recorded since it was checked may be somebody's word against it.
  if (!isStillApproved(run, state)) return;
  try {
    const merged = await mergePull(run.repository.octokit, run.repository, mergeRequest(waiting));
    if (services.presenter === 'action') await recordOwnMerge(run, merged, services.clock);
  } catch (fault) {
    if (fault instanceof MissingPermission) throw mayNotMerge(fault);
    if (!(fault instanceof GitHubFault) || fault.retriable) throw fault;
    if (isPassing(fault) && mayPass(run, state)) throw fault;
    await tell({ reason: fault.reason, instead, until }, state);
  }
}

/**
 * What is done with a workflow's token starts no workflow, so nobody would tell us. For a while GitHub may
 * show the pull request as it was before; should the sweep find it closed at another second, the run is over.
 */
async function recordOwnMerge(run: Run, merged: Merged, clock: Clock): Promise<void> {
  const { repository, number } = run;
  const { closed_at, base_ref: base } = await readPull(repository.octokit, repository, number);
  const at = closed_at ?? merged.at ?? clock.now().toISOString();
  const closing = merged.before ? await lastClosing(repository.octokit, repository, number) : undefined;
  const by = closing?.by ?? repository.own.login;
  await run.record({ type: 'closed', id: `closed:${at}`, at, by, merged: true, base });
}

/** GitHub does not always name what it wants for a merge. */
function mayNotMerge(cause: MissingPermission): MissingPermission {
  const permission = cause.permission || 'contents=write';
  return new MissingPermission({ doing: 'merging it', permission, reason: cause.reason }, { cause });
}

/** So many refusals of one commit may pass by themselves; then people are told. */
const maxPassing = 2;

/** GitHub refuses a merge while a branch is moving. */
function mayPass(run: Run, { head }: State): boolean {
  const name = `merge:${head}`;
  run.process = tried(run.process, name, { failed: true });
  return !hasFailed(run.process, name, maxPassing + 1);
}

/** The head or the base was just moved: the same merge may be possible at the next look. */
function isPassing({ status, reason }: GitHubFault): boolean {
  return status === 409 || (status === 405 && /base branch was modified/i.test(reason));
}

/** The approved commit, merged as the configuration says. */
export function mergeRequest({
  pull,
  settings,
  state,
}: Pick<WaitingMerge, 'pull' | 'settings' | 'state'>): MergeRequest {
  const { number, head_sha: sha } = pull;
  return { number, sha, method: settings.approval.merge_method, message: squashBody(state, settings) };
}

/** Until when the newest approval is acted upon, ISO 8601. */
export function patienceOf(state: State): string {
  const newest = Math.max(...approvedAt(state).map(({ at }) => Date.parse(at)), Number.NEGATIVE_INFINITY);
  const from = Number.isFinite(newest) ? newest : Date.parse(state.updated_at);
  return new Date(from + patienceMs).toISOString();
}
