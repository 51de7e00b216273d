import { slugOf } from '../../github/own.ts';
import type { Event, EventOf } from '../../steering/state/event.ts';
import type { Asking, SaidFacts } from './asking.ts';

/**
 * What a door has sealed counts once. With a token of our App for a person, others could post the same
 * comment again while its seal is sound; the seal of each is another, so that the second is such a copy, and
 * not the person's own word.
 */
export async function findCopy(
  { source: from }: EventOf<'said'>,
  { run, sealed }: Asking,
): Promise<SaidFacts> {
  if (from.from !== 'comment' || from.door === undefined) return {};
  const { door: _, ...source } = from;
  const { comment_id, text_sha256 } = source;
  const first = sealed.get(text_sha256) ?? comment_id;
  sealed.set(text_sha256, first);
  const isOther = (each: Event) =>
    each.type === 'said' &&
    each.source.from === 'comment' &&
    each.source.text_sha256 === text_sha256 &&
    each.source.comment_id !== comment_id;
  if (first === comment_id && !(await run.events()).some(isOther)) return {};
  return { source, via_app: slugOf(run.repository.own.login) };
}
