import { readQueuePlace } from '../../github/read/read-merge-queue.ts';
import { isInQueue, wasTakenOut } from '../../steering/approval/in-merge-queue.ts';
import type { PendingEffect } from '../../steering/state/pending-effect.ts';
import type { State } from '../../steering/state/state.ts';
import type { Run } from '../run/run.ts';
import type { Services } from '../run/services.ts';
import { checkAgain } from './check-again.ts';
import { checkFinish, type Finishable, isFinished } from './check-finish.ts';
import { enqueueRun } from './enqueue.ts';
import { mergeOurselves, mergeWhenAllowed, type WaitingMerge } from './merge-when-allowed.ts';

/** What merging needs besides the run. */
export interface Merging extends Pick<WaitingMerge, 'tell' | 'hasTold'> {
  readonly services: Services;
}

/**
 * Merges the approved commit, or has GitHub merge it. Only the configuration on GitHub says whether and how:
 * the ledger, which names the effect, could be forged.
 */
export async function mergeRun(
  run: Run,
  effect: Extract<PendingEffect, { do: 'merge' }>,
  merging: Merging,
): Promise<void> {
  const state = (await run.readLedger())?.state;
  if (state === undefined || !isFinished(state) || state.shown?.head_sha !== effect.head_sha) return;
  const { services } = merging;
  const finishable = await checkFinish(run, state, { services });
  if (finishable === undefined || !finishable.pull.open) return;
  if (finishable.settings.approval.finish === 'ready')
    services.log.warn(`did not merge ${run.name}: its configuration says that people merge`);
  await mergeAsConfigured(run, finishable, merging);
}

/** Repeats the check of an approved run, and tries again what GitHub did not allow to be merged. */
export async function finishAgain(run: Run, state: State, merging: Merging): Promise<void> {
  const finishable = await checkAgain(run, state, merging.services);
  if (finishable === undefined || !finishable.pull.open) return;
  await mergeAsConfigured(run, finishable, merging);
}

/** Out of draft CI may run once more; its end is told, and the sweep looks again. */
async function mergeAsConfigured(run: Run, finishable: Finishable, merging: Merging): Promise<void> {
  if (finishable.checksRun) return;
  const waiting = { ...finishable, ...merging };
  const { finish } = finishable.settings.approval;
  const isQueued = isInQueue(finishable.state);
  if (finish === 'ready' && !isQueued) return;
  const { repository, number } = run;
  const place = await readQueuePlace(repository.octokit, repository, number);
  // Without a queue, too, only a person merges what a person took out.
  if (place.exists || isQueued || wasTakenOut(finishable.state)) return enqueueRun(run, waiting, place);
  switch (finish) {
    case 'merge':
      return mergeOurselves(run, waiting, { why: 'configured' });
    case 'auto-merge':
      return mergeWhenAllowed(run, waiting);
  }
}

/** Whether GitHub has not allowed the merge yet, as far as the ledger says. */
export function isWaitingToMerge(state: State): boolean {
  return isFinished(state) && state.settings.approval.finish !== 'ready';
}
