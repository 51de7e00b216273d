import { settledBy } from './interactions.ts';
import { iterationsLeft, queueWork, startIteration, steersIn, updateIteration } from './iterations.ts';
import type { CommandEventOf } from './row.ts';
import type { WorkKind } from './standing.ts';
import type { QueuedSteer, State } from './state.ts';
import { accepted, next, refuse, type Step, withReply } from './step.ts';

/** Commands that several phases share. */

/** Starts the next iteration at once, because no work is in progress. */
export function steerNow(state: State, said: CommandEventOf<'steer'>): Step {
  if (!iterationsLeft(state)) return refuse({ why: 'iterations_used_up', max: state.max_iterations });
  return accepted(startIteration(state, said, [...steersIn(state.queue), steerOf(said)]), said);
}

/** While work is in progress the steer is queued, unless it was given with `--now`. */
export function steerOrQueue(state: State, said: CommandEventOf<'steer'>): Step {
  if (said.command.now) return steerNow(state, said);
  if (!iterationsLeft(state)) return refuse({ why: 'iterations_used_up', max: state.max_iterations });
  const steer: QueuedSteer = { ...steerOf(said), id: said.id, at: said.at };
  const queue = [...state.queue, steer];
  const step = next(state, { queue }, `Queue steer ${queue.length} from ${said.by.login}`);
  return withReply(accepted(step, said), said, { say: 'queued', place: queue.length });
}

export function rejectRun(state: State, said: CommandEventOf<'reject'>): Step {
  const by = said.by.login;
  const standing = { phase: 'rejected', by, reason: said.command.reason } as const;
  return accepted(next(state, { ...over(state, said, 'rejected'), standing }, `Rejected by ${by}`), said);
}

export function cancelRun(state: State, said: CommandEventOf<'cancel'>): Step {
  const by = said.by.login;
  const standing = { phase: 'cancelled', by, reason: 'cancelled' } as const;
  return accepted(next(state, { ...over(state, said, 'cancelled'), standing }, `Cancelled by ${by}`), said);
}

/** Another attempt at the same iteration, with a fresh budget. */
export function retryAttempt(state: State, said: CommandEventOf<'retry'>): Step {
  return retryWith(state, said, 'attempt');
}

/** The same work again, with a fresh budget of attempts. */
export function retryWith(state: State, said: CommandEventOf<'retry'>, work: WorkKind): Step {
  const fresh: State = {
    ...state,
    ...settledBy(state, said, { by: said.by.login, how: 'retried' }),
    attempts_used: 0,
    times_lost: 0,
    approvals: [],
    iterations: updateIteration(state, { landed: false }),
  };
  return accepted(queueWork(fresh, work, `Retry requested by ${said.by.login}`), said);
}

export function verifyAgain(state: State, said: CommandEventOf<'verify'>): Step {
  const settled = { ...state, ...settledBy(state, said, { by: said.by.login, how: 'verified again' }) };
  return accepted(queueWork(settled, 'verify_head', `Verification requested by ${said.by.login}`), said);
}

/** Resuming renews the budget of attempts, as every human input does. */
export function resumeWith(state: State, said: CommandEventOf<'resume'>, work: WorkKind): Step {
  const budget = work === 'attempt' ? { attempts_used: 0 } : {};
  return accepted(
    queueWork({ ...state, ...budget, times_lost: 0 }, work, `Resumed by ${said.by.login}`),
    said,
  );
}

function steerOf({ command, by, source }: CommandEventOf<'steer'>) {
  return { prompt: command.prompt, author: by.login, source };
}

function over(state: State, said: CommandEventOf<'reject' | 'cancel'>, how: string): Partial<State> {
  return { ...settledBy(state, said, { by: said.by.login, how }), queue: [], approvals: [] };
}
