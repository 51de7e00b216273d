import { isEnd } from '../phases/table.ts';
import { isMerged } from '../shapes/standing.ts';
import type { Event } from '../state/event.ts';
import type { PendingEffect } from '../state/pending-effect.ts';
import type { State } from '../state/state.ts';

/**
 * The state after the event, with what its end means for others among what it owes: runs that depend on it
 * can begin or never will, and the issue of several runs is closed with the last one of them. As what is owed
 * counts as done only when the state is drawn, so is every end.
 */
export function withWaking(before: State | undefined, after: State, { id }: Event): State {
  if (before === undefined || !isEnd(before.standing, after.standing)) return after;
  const isPart = after.replaces !== undefined && after.run.issue !== null && isMerged(after.standing);
  const effects: readonly PendingEffect[] = [
    { id: `${id}:wake`, do: 'wake' },
    ...(isPart ? [{ id: `${id}:close_issue`, do: 'close_issue' } as const] : []),
  ];
  return { ...after, owed: [...after.owed, ...effects] };
}
