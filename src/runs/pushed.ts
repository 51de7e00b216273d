import { onlyMergesBase } from '../git/base-merge.ts';
import type { Event, EventOf } from '../steering/event.ts';
import { interactionsOf } from '../steering/interactions.ts';
import type { Run } from './run.ts';

/**
 * Says of a push whether it only merges the base branch, as the button "Update branch" does. That matters only
 * to a run that was on show, so before that nothing is read.
 */
export async function withBaseMerge(event: Event, run: Run): Promise<Event> {
  if (event.type !== 'pushed' || event.forced) return event;
  const state = run.newest ?? (await run.readLedger())?.state;
  if (state === undefined || interactionsOf(state).length === 0) return event;
  return (await mergesBase(event, run, state.run.base)) ? { ...event, merges_base: true } : event;
}

async function mergesBase(
  { before, head: after }: EventOf<'pushed'>,
  { repository }: Run,
  base: string,
): Promise<boolean> {
  const mirror = await repository.mirror();
  await mirror.fetch();
  return onlyMergesBase(mirror.dir, { before, after, base: `refs/heads/${base}` });
}
