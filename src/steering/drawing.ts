import type { Event } from './event.ts';
import { comesLast } from './pending-effect.ts';
import type { State } from './state.ts';
import { isOver } from './table.ts';

/**
 * The state after the event, with the drawing of the run's end among what it owes. Not if it owes anything
 * else, which counts as done only when the end is drawn as well.
 */
export function withDrawing(before: State | undefined, after: State, { id }: Event): State {
  const { phase } = after.standing;
  const isNews = isOver(phase) && before?.standing.phase !== phase;
  if (!isNews || after.owed.some((effect) => !comesLast(effect))) return after;
  return { ...after, owed: [...after.owed, { id: `${id}:draw`, do: 'draw' }] };
}
