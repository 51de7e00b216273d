import type { Event } from '../event.ts';
import type { State } from '../state.ts';
import { isEnd, isOver } from '../table.ts';
import { comesLast } from './pending-effect.ts';

/**
 * The state after the event, with the drawing of the run's end among what it owes. Not if it owes anything
 * else, which counts as done only when the end is drawn as well.
 */
export function withDrawing(before: State | undefined, after: State, { id }: Event): State {
  const { standing } = after;
  const isNews = before === undefined ? isOver(standing.phase) : isEnd(before.standing, standing);
  if (!isNews || after.owed.some((effect) => !comesLast(effect))) return after;
  return { ...after, owed: [...after.owed, { id: `${id}:draw`, do: 'draw' }] };
}
