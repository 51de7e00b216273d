import { translate } from '../github/listen/translate.ts';
import { missedCommands } from '../github/read/missed-commands.ts';
import { type PullFacts, readPull } from '../github/read/pulls.ts';
import type { LedgerSnapshot } from '../ledger/ledger.ts';
import type { Event } from '../steering/event.ts';
import type { State } from '../steering/state.ts';
import { withBaseMerge } from './pushed.ts';
import { retargetIn } from './retarget.ts';
import type { Run } from './run.ts';

/** GitHub's times have whole seconds, and events can be recorded out of order. */
const marginMs = 60_000;

/**
 * Records what happened on the pull request but is missing from the ledger: commands, pushes, another base,
 * closing. Every
 * event has the same id as from its webhook, so what is already recorded changes nothing.
 */
export async function catchUp(run: Run, { state, seen }: LedgerSnapshot): Promise<void> {
  const { repository, number } = run;
  const pull = await readPull(repository.octokit, repository, number);
  const since = lastRecorded(state);
  const { octokit, own } = repository;
  for (const incoming of await missedCommands(octokit, { ...pull, repository, seen }, since)) {
    for (const runEvent of await translate(incoming, { octokit, own, trigger: '' })) {
      if (runEvent.kind === 'event') await run.record(runEvent.event);
    }
  }
  const retarget = pull.open ? await retargetIn(run, state, { pull }) : undefined;
  if (retarget !== undefined) await run.record(retarget);
  const news = missedEvent(pull, state);
  if (news !== undefined) await run.record(await withBaseMerge(news, run));
}

/** Commands from before the ledger was restored were answered, or recorded in the lost one. */
function lastRecorded({ updated_at, restored }: State): string {
  const since = new Date(Date.parse(updated_at) - marginMs).toISOString();
  return restored !== undefined && restored.at > since ? restored.at : since;
}

/** Who did it, and whether with force, is unknown here and does not matter. */
function missedEvent(pull: PullFacts, { head: before }: State): Event | undefined {
  const by = 'somebody';
  if (!pull.open) {
    const at = pull.closed_at ?? pull.updated_at;
    return { type: 'closed', id: `closed:${at}`, at, by, merged: pull.merged, base: pull.base_ref };
  }
  if (pull.head_sha === before) return undefined;
  const { head_sha: head, updated_at: at } = pull;
  return { type: 'pushed', id: `push:${head}@${at}`, at, by, before, head, forced: false };
}
