import { interruptFor } from '../attempt-outcome.ts';
import type { PendingEffect } from '../effects/pending-effect.ts';
import { settledBy } from '../interactions/interactions.ts';
import { settingAside } from '../permission/held-work.ts';
import type { CommandEventOf } from '../row.ts';
import type { In, State } from '../state.ts';
import { withContributors } from '../steers/contributing.ts';
import { accepted, type Step } from '../step.ts';
import { uncounted } from './pausing.ts';
import { withUndoDropped } from './undoing.ts';

type Interruptible = In<'queued' | 'working' | 'verifying' | 'awaiting_approval'>;

/** What is said where nobody gave a reason. */
export const noDetails = 'No details available';

/**
 * People want to decide how to go on. What is in progress is stopped; steers that waited for its end come to
 * nothing, and their authors are told: whoever decides now may say them again.
 */
export function interruptRun(state: Interruptible, event: CommandEventOf<'interrupt'>): Step {
  const by = event.by.login;
  const { reason } = event.command;
  const stopped: State = {
    ...state,
    ...uncounted(state),
    ...settledBy(state, event, { by, how: 'interrupted' }),
    ...settingAside(state),
    ...(reason !== '' && withContributors(state, [event.by])),
    queue: [],
    owed: [...state.owed, ...dropped(state, event)],
  };
  const interruption = { type: 'manual_interrupt', reason: reason === '' ? noDetails : reason, by } as const;
  const step = interruptFor(stopped, event, interruption);
  const why = `${by} interrupted the run`;
  return accepted(withUndoDropped(step, { before: state, event, why }), event);
}

function dropped({ queue }: State, { id, by }: CommandEventOf<'interrupt'>): readonly PendingEffect[] {
  const words = { say: 'dropped', by: by.login } as const;
  return queue.map(({ author: to }, nth) => ({ id: `${id}:dropped:${nth}`, do: 'reply', words, to }));
}
