import { checksDeadline } from '../ci/awaited-checks.ts';
import { isAskingHuman } from '../standing.ts';
import type { State } from '../state.ts';
import { byTime } from '../time.ts';
import type { Deadline, ReminderPercent } from './deadline.ts';

const reminderPercents: readonly ReminderPercent[] = [50, 90];

/** The deadlines of a run, earliest first: timers and the sweep watch only these. */
export function deadlines(state: Pick<State, 'standing' | 'settings'>): readonly Deadline[] {
  const { standing } = state;
  const checks = checksDeadline(state);
  if (checks !== null) return [{ kind: 'checks', at: checks }];
  if (!isAskingHuman(standing)) return [];
  const proceeds = standing.phase === 'awaiting_approval' ? standing.proceeds : undefined;
  const all: readonly Deadline[] = [
    ...(proceeds === undefined ? [] : [{ kind: 'proceed', at: proceeds.at } as const]),
    ...remindersOf(state).map(({ at }) => ({ kind: 'reminder', at }) as const),
    { kind: 'review', at: standing.deadline },
  ];
  return all.toSorted(byTime);
}

interface Reminder {
  readonly percent: ReminderPercent;
  readonly at: string;
}

/** The reminders still to come. The review timer starts anew at every interaction, and so do they. */
export function remindersOf({
  standing,
  settings,
}: Pick<State, 'standing' | 'settings'>): readonly Reminder[] {
  if (!isAskingHuman(standing)) return [];
  const ms = settings.steering.review_timeout_s * 1000;
  const start = Date.parse(standing.deadline) - ms;
  const reminded = standing.reminded?.percent ?? 0;
  return reminderPercents
    .filter((percent) => percent > reminded)
    .map((percent) => ({ percent, at: new Date(start + (ms * percent) / 100).toISOString() }));
}
