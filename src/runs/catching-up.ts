import { hear } from '../github/listen/hear.ts';
import { readPull } from '../github/read/pulls.ts';
import { wordsSince } from '../github/read/words-since.ts';
import type { Lane } from './lane.ts';

/** GitHub's times are in whole seconds, and an event may be recorded before an earlier one is delivered. */
const marginMs = 60_000;

/**
 * Tells a run what its pull request says and its ledger does not know: words, pushes, a close. Everything has
 * the id that its webhook would have given it, so what is known already changes nothing.
 */
export async function catchUp(lane: Lane): Promise<void> {
  const state = (await lane.recall())?.state;
  if (state === undefined) return;
  const { repository, number } = lane;
  const { octokit, own } = repository;
  const pull = await readPull(octokit, repository, number);
  const since = new Date(Date.parse(state.updated_at) - marginMs).toISOString();
  for (const heard of await wordsSince(octokit, { ...pull, repository }, since)) {
    for (const hearing of await hear(heard, { octokit, own, trigger: '' })) {
      if (hearing.kind === 'event') await lane.tell(hearing.event);
    }
  }
  const stamp = { at: pull.closed_at ?? pull.updated_at, by: 'somebody' };
  if (!pull.open) {
    await lane.tell({ type: 'closed', id: `closed:${stamp.at}`, ...stamp, merged: pull.merged });
  } else if (pull.head_sha !== state.head) {
    const { head_sha: head } = pull;
    await lane.tell({
      type: 'pushed',
      id: `push:${head}`,
      ...stamp,
      before: state.head,
      head,
      forced: false,
    });
  }
}
