import { announcements } from './announcements.ts';
import type { Event } from './state/event.ts';
import { isNotification, type Notification, type PendingEffect } from './state/pending-effect.ts';
import type { State } from './state/state.ts';

/** How many may wait at once. A target that is away for a day is not told every attempt of it. */
const maxWaiting = 100;

/**
 * The state after the event, with what its settings want targets to be told of it among what it owes. Of too
 * many that wait, the oldest are given up.
 */
export function withNotifications(before: State | undefined, after: State, event: Event): State {
  const { notify = [] } = after.settings;
  if (notify.length === 0) return after;
  const heard = announcements(before, after, event);
  const fresh = notify.flatMap(({ to, events }) =>
    heard.flatMap(({ event: name, time: at }, nth): readonly Notification[] => {
      const id = `${event.id}:notify:${to}:${nth}`;
      return events.includes(name) ? [{ id, do: 'notify', to, seq: after.seq, nth, event: name, at }] : [];
    }),
  );
  if (fresh.length === 0) return after;
  const owed = [...after.owed, ...fresh];
  const surplus = owed.filter(isNotification).slice(0, -maxWaiting);
  if (surplus.length === 0) return { ...after, owed };
  const left = new Set<PendingEffect>(surplus);
  const reason = `more than ${maxWaiting} waited, and the oldest were left out`;
  const undone = [
    ...(after.undone ?? []).filter((each) => each.reason !== reason),
    { do: 'notify', reason } as const,
  ];
  return { ...after, owed: owed.filter((each) => !left.has(each)), undone };
}
