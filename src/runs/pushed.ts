import { onlyMergesBase } from '../git/merge.ts';
import type { Log } from '../github/octokit/connect.ts';
import type { Event, EventOf } from '../steering/event.ts';
import { interactionsOf } from '../steering/interactions/interactions.ts';
import type { State } from '../steering/state.ts';
import { messageOf } from './faults.ts';
import type { Run } from './run.ts';
import { type Recording, upToDate } from './up-to-date.ts';

/**
 * Says of a push whether it only merges the base branch, as the button "Update branch" does. That matters
 * only to a run that was on show, so before that nothing is read. A push of which Git cannot tell is recorded
 * like any other: it must revoke an approval, however long a fetch of what was pushed takes.
 */
export async function withBaseMerge(
  event: Event,
  run: Run,
  { log, others }: { readonly log: Pick<Log, 'warn'> } & Recording,
): Promise<Event> {
  if (event.type !== 'pushed' || event.forced) return event;
  const state = await upToDate(run, { others });
  if (state === undefined || interactionsOf(state).length === 0) return event;
  const isMerge = await mergesBase(event, run, state).catch((fault: unknown) => {
    log.warn(`could not tell what was pushed to ${run.name}: ${messageOf(fault)}`);
    return false;
  });
  return isMerge ? { ...event, merges_base: true } : event;
}

async function mergesBase(
  { before, head: after }: EventOf<'pushed'>,
  { repository }: Run,
  { run: { base, branch } }: State,
): Promise<boolean> {
  const mirror = await repository.mirror();
  await mirror.fetch([base, branch].map((name) => `+refs/heads/${name}:refs/heads/${name}`));
  return onlyMergesBase(mirror.dir, { before, after, base: `refs/heads/${base}` });
}
