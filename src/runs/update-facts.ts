import { isAncestor } from '../git/merge.ts';
import { isAlwaysAnswered } from '../steering/answering/reply-limit.ts';
import type { Event } from '../steering/event.ts';
import type { Run } from './run.ts';
import type { Services } from './services.ts';
import { upToDate } from './up-to-date.ts';

/** The event, with whether the branch has everything of its base, if the command would merge that. */
export async function withUpdateFacts(event: Event, run: Run, services: Services): Promise<Event> {
  if (event.type !== 'said' || event.command.type !== 'update') return event;
  // Strangers may not update anyhow, and must not make us fetch.
  if (!isAlwaysAnswered(event.by.role)) return event;
  const state = await upToDate(run, services);
  if (state === undefined) return event;
  const mirror = await run.repository.mirror();
  await mirror.fetch();
  const tip = await mirror.resolve(`refs/heads/${state.run.base}`);
  const head = await mirror.resolve(`refs/heads/${state.run.branch}`);
  if (tip === undefined || head === undefined) return event;
  const has = await mirror.reading(() => isAncestor(mirror.dir, tip, head));
  return has ? { ...event, up_to_date: true } : event;
}
