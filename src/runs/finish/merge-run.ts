import { setTimeout as wait } from 'node:timers/promises';
import { exitOf } from '../../github/listen/hear-pull.ts';
import { GitHubFault, MissingPermission } from '../../github/octokit/fault.ts';
import { hasWorkflowToken } from '../../github/own.ts';
import { readBranchRules, requiresOwnCheck } from '../../github/read/branch-rules.ts';
import { lastClosing } from '../../github/read/pulls.ts';
import {
  lastRemoval,
  type QueuePlace,
  type Removal,
  readQueuePlace,
} from '../../github/read/read-merge-queue.ts';
import {
  disableAutoMerge,
  enableAutoMerge,
  enqueuePull,
  type Merged,
  type MergeRequest,
  mergePull,
} from '../../github/write/merge-pull.ts';
import {
  isFinished,
  isStillApproved,
  isWaitingToMerge,
  mergedUntil,
} from '../../steering/approval/finish-reasons.ts';
import { isInQueue, wasTakenOut } from '../../steering/approval/in-merge-queue.ts';
import { hasFailed, tried } from '../../steering/process-state.ts';
import { somebody } from '../../steering/shapes/people.ts';
import { isBefore, isSurelyBefore } from '../../steering/shapes/time.ts';
import type { EventOf } from '../../steering/state/event.ts';
import type { PendingEffect } from '../../steering/state/pending-effect.ts';
import type { State } from '../../steering/state/state.ts';
import {
  type MergeInstead,
  type MergeWait,
  mergeWaitText,
  squashBody,
} from '../../words/parts/merge-texts.ts';
import type { Run } from '../run/run.ts';
import { checkAgain } from './check-again.ts';
import { checkFinish, type Finishable } from './check-finish.ts';

/**
 * Merges the approved commit, or has GitHub merge it. Only the configuration on GitHub says whether and how:
 * the ledger, which names the effect, could be forged.
 */
export async function mergeRun(run: Run, effect: Extract<PendingEffect, { do: 'merge' }>): Promise<void> {
  const state = (await run.readLedger())?.state;
  if (state === undefined || !isFinished(state) || state.shown?.head_sha !== effect.head_sha) return;
  const finishable = await checkFinish(run, state);
  if (finishable === undefined || !finishable.pull.open) return;
  if (finishable.settings.approval.finish === 'ready')
    run.services.log.warn(`did not merge ${run.name}: its configuration says that people merge`);
  await mergeAsConfigured(run, finishable);
}

/** Repeats the check of an approved run, and tries again what GitHub did not allow to be merged. */
export async function mergeAgain(run: Run, state: State): Promise<void> {
  // GitHub does not merge drafts, and its rules may require our check to succeed.
  if (isWaitingToMerge(state)) await run.drawing.presentNow(state);
  const finishable = await checkAgain(run, state);
  if (finishable === undefined || !finishable.pull.open) return;
  await mergeAsConfigured(run, finishable);
}

/** Out of draft CI may run once more; its end is told, and the sweep looks again. */
async function mergeAsConfigured(run: Run, finishable: Finishable): Promise<void> {
  if (finishable.checksRun) return;
  const { finish } = finishable.settings.approval;
  const isQueued = isInQueue(finishable.state);
  if (finish === 'ready' && !isQueued) return;
  const { repository, number } = run;
  const place = await readQueuePlace(repository.octokit, repository, number);
  // Without a queue, too, only a person merges what a person took out.
  if (place.exists || isQueued || wasTakenOut(finishable.state)) return enqueueRun(run, finishable, place);
  if (finish === 'merge') return mergeOurselves(run, finishable, { why: 'configured' });
  return mergeWhenAllowed(run, finishable);
}

/** States in which GitHub would refuse, so that it need not be asked. */
const refusedStates = ['blocked', 'behind', 'dirty', 'draft'];

/**
 * Has GitHub merge by itself only where the base requires our check from our App: elsewhere auto-merge would
 * not wait for it, and would merge what nobody approved. There, and where GitHub refuses, we wait and merge
 * the approved commit ourselves.
 */
async function mergeWhenAllowed(run: Run, waiting: Finishable): Promise<void> {
  const { octokit, own } = run.repository;
  const { pull, settings } = waiting;
  const rules = await readBranchRules(octokit, run.repository, pull.base_ref);
  const check = settings.check;
  const isSourced = requiresOwnCheck(rules, check, own);
  if (pull.auto_merge !== null && !isSourced && pull.auto_merge.by === own.login)
    await disableAutoMerge(octokit, pull);
  else if (pull.auto_merge !== null) return;
  if (!isSourced) return mergeOurselves(run, waiting, { why: 'unsourced', check });
  if (!isStillApproved(run.newest, waiting.state)) return;
  const enabled = await enableAutoMerge(octokit, { node_id: pull.node_id, ...mergeRequest(waiting) });
  if (enabled.outcome === 'enabled') return;
  const reason = enabled.outcome === 'clean' ? 'nothing is missing' : enabled.reason;
  return mergeOurselves(run, waiting, { why: 'refused', reason });
}

/**
 * Merges the approved commit if GitHub allows it, and otherwise says once what is missing. A refusal never
 * ends the run: what is missing may come.
 */
async function mergeOurselves(run: Run, waiting: Finishable, instead: MergeInstead): Promise<void> {
  const { pull, state } = waiting;
  const until = mergedUntil(state);
  if (isBefore(until, run.now())) return tell(run, state, { reason: '', instead: { why: 'over' }, until });
  const reason = pull.mergeable_state ?? '';
  // GitHub names what is missing only in its answer to a merge; one such answer is enough.
  const isWorthAsking = reason === 'blocked' && !run.once.has(mergeWaitId(state));
  if (refusedStates.includes(reason) && !isWorthAsking) return tell(run, state, { reason, instead, until });
  // What was recorded since it was checked may be somebody's word against it.
  if (!isStillApproved(run.newest, state)) return;
  try {
    const merged = await mergePull(run.repository.octokit, run.repository, mergeRequest(waiting));
    if (run.services.presenter === 'action') await recordOwnMerge(run, merged);
  } catch (fault) {
    if (fault instanceof MissingPermission) throw mayNotMerge(fault);
    if (!(fault instanceof GitHubFault) || fault.retriable) throw fault;
    if (isPassing(fault) && mayPass(run, state)) throw fault;
    await tell(run, state, { reason: fault.reason, instead, until });
  }
}

/**
 * What is done with a workflow's token starts no workflow, so nobody would tell us. For a while GitHub may
 * show the pull request as it was before; should the sweep find it closed at another second, the run is over.
 */
async function recordOwnMerge(run: Run, merged: Merged): Promise<void> {
  const { repository, number } = run;
  const { closed_at, base_ref: base } = await run.pull();
  const at = closed_at ?? merged.at ?? run.now();
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
function mergeRequest({ pull, settings, state }: Finishable): MergeRequest {
  const { number, head_sha: sha } = pull;
  return { number, sha, method: settings.approval.merge_method, message: squashBody(state, settings) };
}

/**
 * Puts an approved run into the merge queue of its base, through which GitHub merges it; `place` is where it
 * stands now. What a person took out, only a person puts there again, and about what GitHub took out people
 * decide: it would otherwise fail and be queued for ever.
 */
async function enqueueRun(run: Run, waiting: Finishable, place: QueuePlace): Promise<void> {
  const { pull, state } = waiting;
  const { repository } = run;
  const at = run.now();
  const instead = { why: 'queue' } as const;
  if (place.queued) return noteQueued(run, { at, by: somebody });
  if (wasTakenOut(state)) return;
  if (isInQueue(state)) return noteLeft(run, state, at);
  const until = mergedUntil(state);
  if (isBefore(until, at)) return tell(run, state, { reason: '', instead: { why: 'over' }, until });
  // No workflow would check the group: it would only keep others waiting until GitHub gives it up.
  if (hasWorkflowToken(repository.own))
    return tell(run, state, { reason: '', instead: { why: 'token' }, until });
  // What was recorded since it was checked may be somebody's word against it.
  if (!isStillApproved(run.newest, state)) return;
  const entered = await enqueuePull(repository.octokit, repository, { ...pull, sha: pull.head_sha });
  if (entered.outcome === 'refused') return tell(run, state, { reason: entered.reason, instead, until });
  await noteQueued(run, { at, by: repository.own.login });
}

/** Records that GitHub has an approved run in a merge queue, unless that is known. */
export async function noteQueued(
  run: Run,
  { at, by }: Pick<EventOf<'enqueued'>, 'at' | 'by'>,
): Promise<void> {
  if (isInQueue(run.newest)) return;
  await run.record({ type: 'enqueued', id: `enqueued:${at}`, at, by });
}

/** GitHub may tell late that it is in the queue, is merged or was taken out; then it is asked again. */
const waitsMs = [500, 2_000];

/** Its webhook may be on its way, so GitHub is asked why: a person's wish is no failure. */
async function noteLeft(run: Run, { standing }: State, at: string): Promise<void> {
  const since = standing.phase === 'approved' && standing.queue !== undefined ? standing.queue.at : at;
  const removal = await removalSince(run, since);
  if (removal === 'none') return;
  const { reason = '', by = somebody } = removal ?? {};
  const because = exitOf(reason);
  if (because === 'merged') return;
  await run.record({ type: 'dequeued', id: `dequeued:${at}`, at, by, because });
}

/**
 * How it left the queue after that time; `none`: it has not, or is merged. Undefined if GitHub does not say.
 */
async function removalSince(
  { repository, number }: Run,
  since: string,
): Promise<Removal | 'none' | undefined> {
  const { octokit } = repository;
  for (const ms of [...waitsMs, 0]) {
    const last = await lastRemoval(octokit, repository, number);
    if (last !== undefined && !isSurelyBefore(last.at, since)) return last;
    await wait(ms);
    const { queued, open } = await readQueuePlace(octokit, repository, number);
    if (queued || !open) return 'none';
  }
  return undefined;
}

/**
 * Says why an approved commit is not merged: once for each commit while it waits, and once when that is over,
 * even across restarts.
 */
async function tell(run: Run, state: State, wait: MergeWait): Promise<void> {
  const id = mergeWaitId(state, wait);
  const text = mergeWaitText(wait, state.run.presenter);
  await run.once.do(id, () => run.say(id, text, { since: state.started_at }));
}

/** Identifies the reply, so that it is posted only once. */
function mergeWaitId({ head }: State, wait?: MergeWait): string {
  return `${wait?.instead.why === 'over' ? 'merge-over' : 'merge-wait'}:${head}`;
}
