import { GitHubFault } from '../github/octokit/fault.ts';
import { mergePull } from '../github/write/merge.ts';
import type { PendingEffect } from '../steering/pending-effect.ts';
import type { State } from '../steering/state.ts';
import { newReference } from './faults.ts';
import { checkFinish } from './finish.ts';
import type { Run } from './run.ts';
import type { Services } from './services.ts';

/** Merges what was approved, or lets GitHub do it when it is allowed; GitHub's no is told, not repeated. */
export async function mergeRun(
  liveRun: Run,
  owed: Extract<PendingEffect, { do: 'merge' }>,
  services: Services,
): Promise<void> {
  const { clock, log } = services;
  const { octokit } = liveRun.repository;
  const state = (await liveRun.readLedger())?.state;
  if (state === undefined || !isWanted(state, owed) || !(await checkFinish(liveRun, state, services))) return;
  const { merge_method: method } = state.settings.approval;
  try {
    await mergePull(octokit, liveRun.repository, {
      number: liveRun.number,
      sha: owed.head_sha,
      method,
      when: owed.when,
    });
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.retriable) throw fault;
    const reference = newReference();
    log.error(`GitHub refused to merge ${liveRun.name} (${reference}): ${fault.message}`);
    const what = `GitHub refused to merge: ${fault.said}`;
    await liveRun.record({
      type: 'run_failed',
      id: `${owed.id}:refused`,
      at: clock.now().toISOString(),
      reference,
      what,
    });
  }
}

/** A merge that had to wait may find that somebody said something else meanwhile. */
function isWanted({ standing, shown }: State, { head_sha }: { readonly head_sha: string }): boolean {
  return standing.phase === 'approved' && standing.finish === 'finished' && shown?.head_sha === head_sha;
}
