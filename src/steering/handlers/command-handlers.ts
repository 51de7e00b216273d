import { queueAttempt, waitedFor } from '../branch/dependencies.ts';
import { undoOf } from '../branch/undoing.ts';
import { settingAside } from '../iterations/held-work.ts';
import { settledBy } from '../iterations/interactions.ts';
import {
  isCiSkipped,
  iterationsLeft,
  queueCiStart,
  queueLanding,
  queueWork,
  startIteration,
  steersIn,
} from '../iterations/iterations.ts';
import {
  accepted,
  type CommandEventOf,
  closing,
  next,
  refuse,
  type Step,
  withReply,
} from '../iterations/step.ts';
import { because } from '../phrases/first-line.ts';
import { type QueuedSteer, type Steer, summaryOf } from '../shapes/queued-steer.ts';
import type { HeldWork, WorkKind } from '../shapes/standing.ts';
import type { State } from '../state/state.ts';

/** Commands that several phases share. */

/** Starts the next iteration at once, because no work is in progress. */
export function steerNow(state: State, event: CommandEventOf<'steer'>): Step {
  if (!iterationsLeft(state)) return refuse({ why: 'iterations_used_up', max: state.max_iterations });
  return accepted(startIteration(state, event, [...steersIn(state.queue), steerOf(event)]), event);
}

/** While work is in progress the steer is queued, unless it was given with `--now`. */
export function steerOrQueue(state: State, event: CommandEventOf<'steer'>): Step {
  // Whoever goes back wants the next iteration to begin there.
  return event.command.now && undoOf(state) === undefined ? steerNow(state, event) : queueSteer(state, event);
}

/** It waits for the end of the work, or of a pause. */
export function queueSteer(
  state: State,
  event: CommandEventOf<'steer'>,
  why: { readonly untold?: true } = {},
): Step {
  if (!iterationsLeft(state)) return refuse({ why: 'iterations_used_up', max: state.max_iterations });
  const steer: QueuedSteer = { ...steerOf(event), id: event.id, at: event.at };
  const queue = [...state.queue, steer];
  const subject = `Queue steer ${queue.length} from ${event.by.login}: ${summaryOf(steer.prompt)}`;
  const step = next(state, { queue }, subject);
  return withReply(accepted(step, event), event, { say: 'queued', place: queue.length, ...why });
}

export function rejectRun(state: State, event: CommandEventOf<'reject'>): Step {
  const by = event.by.login;
  const { reason } = event.command;
  const standing = { phase: 'rejected', by, reason } as const;
  const subject = `Rejected by ${by}${because(reason)}`;
  const step = next(state, { ...over(state, event, 'rejected'), standing }, subject);
  return accepted(closing(step, event), event);
}

export function cancelRun(state: State, event: CommandEventOf<'cancel'>): Step {
  const by = event.by.login;
  const standing = { phase: 'cancelled', by, reason: 'cancelled' } as const;
  const step = next(state, { ...over(state, event, 'cancelled'), standing }, `Cancelled by ${by}`);
  return accepted(closing(step, event), event);
}

/** Puts work that was allowed on the branch again. */
export function retryLanding(state: State, event: CommandEventOf<'retry'>, held: HeldWork): Step {
  const subject = `Retry requested by ${event.by.login}`;
  return accepted(queueLanding({ ...state, times_lost: 0 }, held, subject), event);
}

export function verifyAgain(state: State, event: CommandEventOf<'verify'>): Step {
  const settled = { ...state, ...settledBy(state, event, { by: event.by.login, how: 'verified again' }) };
  if (event.command.ci && isCiSkipped(state))
    return accepted(queueCiStart(settled, `CI allowed by ${event.by.login}`), event);
  return accepted(queueWork(settled, 'verify_head', `Verification requested by ${event.by.login}`), event);
}

/** Resuming renews the budget of attempts, as every human input does. */
export function resumeWith(state: State, event: CommandEventOf<'resume'>, work: WorkKind): Step {
  const subject = `Resumed by ${event.by.login}`;
  const fresh: State = { ...state, times_lost: 0 };
  const step =
    work === 'attempt'
      ? queueAttempt({ ...fresh, attempts_used: 0 }, waitedFor(state) ?? [], subject)
      : queueWork(fresh, work, subject);
  return accepted(step, event);
}

export function steerOf({ command, by, source }: CommandEventOf<'steer'>): Steer {
  const agent = command.with === undefined ? {} : { with: command.with };
  return { prompt: command.prompt, author: by.login, author_id: by.id, source, ...agent };
}

function over(state: State, event: CommandEventOf<'reject' | 'cancel'>, how: string): Partial<State> {
  const settled = settledBy(state, event, { by: event.by.login, how });
  return { ...settled, ...settingAside(state), queue: [], approvals: [] };
}
