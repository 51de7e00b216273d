import { GitHubFault } from '../github/octokit/fault.ts';
import { mergePull } from '../github/write/merge.ts';
import type { PendingEffect } from '../steering/pending-effect.ts';
import type { State } from '../steering/state.ts';
import { newReference } from './faults.ts';
import { checkFinish } from './finish.ts';
import type { Run } from './run.ts';
import type { Services } from './services.ts';

/** Merges the approved commit or enables auto-merge; a refusal by GitHub is reported, not retried. */
export async function mergeRun(
  run: Run,
  effect: Extract<PendingEffect, { do: 'merge' }>,
  services: Services,
): Promise<void> {
  const { clock, log } = services;
  const { octokit } = run.repository;
  const state = (await run.readLedger())?.state;
  if (state === undefined || !isWanted(state, effect) || !(await checkFinish(run, state, { services })))
    return;
  const { merge_method: method } = state.settings.approval;
  try {
    await mergePull(octokit, run.repository, {
      number: run.number,
      sha: effect.head_sha,
      method,
      when: effect.when,
    });
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.retriable) throw fault;
    const reference = newReference();
    log.error(`GitHub refused to merge ${run.name} (${reference}): ${fault.message}`);
    const what = `GitHub refused to merge: ${fault.reason}`;
    await run.record({
      type: 'run_failed',
      id: `${effect.id}:refused`,
      at: clock.now().toISOString(),
      reference,
      what,
    });
  }
}

/** The run may have changed while the merge was waiting. */
function isWanted({ standing, shown }: State, { head_sha }: { readonly head_sha: string }): boolean {
  return standing.phase === 'approved' && standing.finish === 'finished' && shown?.head_sha === head_sha;
}
