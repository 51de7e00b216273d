import { setTimeout as wait } from 'node:timers/promises';
import { exitOf } from '../../github/listen/pulls.ts';
import { hasWorkflowToken } from '../../github/own.ts';
import {
  lastRemoval,
  type QueuePlace,
  type Removal,
  readQueuePlace,
} from '../../github/read/read-merge-queue.ts';
import { enqueuePull } from '../../github/write/merge-queue.ts';
import { isInQueue, wasTakenOut } from '../../steering/approval/in-merge-queue.ts';
import { somebody } from '../../steering/shapes/people.ts';
import { isBefore, isSurelyBefore } from '../../steering/shapes/time.ts';
import type { EventOf } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import type { Run } from '../run/run.ts';
import { isStillApproved } from './check-finish.ts';
import { patienceOf, type WaitingMerge } from './merge-when-allowed.ts';

/**
 * Puts an approved run into the merge queue of its base, through which GitHub merges it; `place` is where it
 * stands now. What a person took out, only a person puts there again, and about what GitHub took out people
 * decide: it would otherwise fail and be queued for ever.
 */
export async function enqueueRun(run: Run, waiting: WaitingMerge, place: QueuePlace): Promise<void> {
  const { pull, state, services, tell } = waiting;
  const { repository } = run;
  const at = services.clock.now().toISOString();
  const instead = { why: 'queue' } as const;
  if (place.queued) return noteQueued(run, { at, by: somebody });
  if (wasTakenOut(state)) return;
  if (isInQueue(state)) return noteLeft(run, state, at);
  const until = patienceOf(state);
  if (isBefore(until, at)) return tell({ reason: '', instead: { why: 'over' }, until }, state);
  // No workflow would check the group: it would only keep others waiting until GitHub gives it up.
  if (hasWorkflowToken(repository.own)) return tell({ reason: '', instead: { why: 'token' }, until }, state);
  // What was recorded since it was checked may be somebody's word against it.
  if (!isStillApproved(run, state)) return;
  const entered = await enqueuePull(repository.octokit, repository, { ...pull, sha: pull.head_sha });
  if (entered.outcome === 'refused') return tell({ reason: entered.reason, instead, until }, state);
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

/** How it left the queue after that time; `none`: it has not, or is merged. Undefined if GitHub does not say. */
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
