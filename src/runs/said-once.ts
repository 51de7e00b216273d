import { slugOf } from '../github/own.ts';
import type { Event } from '../steering/event.ts';
import type { RecentMap } from './recent-map.ts';
import type { Run } from './run.ts';

/**
 * What a door has sealed counts once. With a token of our App for a person, others could post the same
 * comment again while its seal is sound; the seal of each is another, so that the second is such a copy, and
 * not the person's own word. `sealed`: the comments being recorded, by the digests of their texts.
 */
export async function withoutCopies(
  event: Event,
  run: Pick<Run, 'repository' | 'events'>,
  sealed: RecentMap<string, number>,
): Promise<Event> {
  if (event.type !== 'said' || event.source.from !== 'comment') return event;
  const { door, ...source } = event.source;
  if (door === undefined) return event;
  const { comment_id, text_sha256 } = source;
  const first = sealed.get(text_sha256) ?? comment_id;
  sealed.set(text_sha256, first);
  const isOther = (each: Event) =>
    each.type === 'said' &&
    each.source.from === 'comment' &&
    each.source.text_sha256 === text_sha256 &&
    each.source.comment_id !== comment_id;
  if (first === comment_id && !(await run.events()).some(isOther)) return event;
  return { ...event, source, via_app: slugOf(run.repository.own.login) };
}
