import { GitHubFault } from '../../github/octokit/fault.ts';
import { mergePull } from '../../github/write/merge.ts';
import type { PendingEffect } from '../../steering/pending-effect.ts';
import type { State } from '../../steering/state.ts';
import { newReference } from '../faults.ts';
import type { Run } from '../run.ts';
import type { Services } from '../services.ts';
import { checkAgain } from './check-again.ts';
import { checkFinish, type Finishable, isFinished } from './check-finish.ts';
import { mergeRequest, mergeWhenAllowed, type WaitingMerge } from './merge-when-allowed.ts';

/** What merging needs besides the run. */
export interface Merging {
  readonly services: Services;
  /** Says on the pull request, once for each commit, why it is not merged yet. */
  readonly tell: WaitingMerge['tell'];
}

/**
 * Merges the approved commit, or has GitHub merge it. Only the configuration on GitHub says whether and how:
 * the ledger, which names the effect, could be forged.
 */
export async function mergeRun(
  run: Run,
  effect: Extract<PendingEffect, { do: 'merge' }>,
  { services, tell }: Merging,
): Promise<void> {
  const state = (await run.readLedger())?.state;
  if (state === undefined || !isFinished(state) || state.shown?.head_sha !== effect.head_sha) return;
  const finishable = await checkFinish(run, state, { services });
  if (finishable === undefined || !finishable.pull.open) return;
  switch (finishable.settings.approval.finish) {
    case 'ready':
      services.log.warn(`did not merge ${run.name}: its configuration says that people merge`);
      return;
    case 'merge':
      return mergeNow(run, finishable, { services, id: `${effect.id}:refused` });
    case 'auto-merge':
      return mergeWhenAllowed(run, { ...finishable, services, tell });
  }
}

/** Repeats the check of an approved run, and tries again what GitHub did not allow to be merged. */
export async function finishAgain(run: Run, state: State, { services, tell }: Merging): Promise<void> {
  const finishable = await checkAgain(run, state, services);
  if (finishable === undefined || !finishable.pull.open) return;
  if (finishable.settings.approval.finish === 'auto-merge')
    await mergeWhenAllowed(run, { ...finishable, services, tell });
}

/** Whether GitHub has not allowed the merge yet, as far as the ledger says. */
export function isWaitingToMerge(state: State): boolean {
  return isFinished(state) && state.settings.approval.finish === 'auto-merge';
}

interface Refusing {
  readonly services: Services;
  /** The event's id if GitHub refuses. */
  readonly id: string;
}

/** A refusal by GitHub is reported, not retried. */
async function mergeNow(run: Run, merging: Finishable, { services, id }: Refusing): Promise<void> {
  try {
    await mergePull(run.repository.octokit, run.repository, mergeRequest(merging));
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.retriable) throw fault;
    const reference = newReference();
    services.log.error(`GitHub refused to merge ${run.name} (${reference}): ${fault.message}`);
    const what = `GitHub refused to merge: ${fault.reason}`;
    await run.record({ type: 'run_failed', id, at: services.clock.now().toISOString(), reference, what });
  }
}
