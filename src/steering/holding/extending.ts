import type { CommandEventOf } from '../row.ts';
import type { State } from '../state.ts';
import { accepted, next, refuse, type Step, withReply } from '../step.ts';

/** However often a run is extended: its state keeps every iteration. */
export const mostIterations = 100;

/** The run may have more iterations from now on. */
export function extendRun(state: State, event: CommandEventOf<'extend'>): Step {
  const { max_iterations: max } = state;
  if (max >= mostIterations) return refuse({ why: 'extended_enough', max });
  const to = Math.min(max + event.command.more, mostIterations);
  const step = next(state, { max_iterations: to }, `Extended to ${to} iterations by ${event.by.login}`);
  return withReply(accepted(step, event), event, { say: 'extended', to });
}
