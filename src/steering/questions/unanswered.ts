import { interruptFor } from '../attempt-outcome.ts';
import type { EventOf } from '../event.ts';
import { queueWork } from '../iterations.ts';
import type { OpenQuestion } from '../standing.ts';
import type { State } from '../state.ts';
import type { Next } from '../step.ts';
import { withAnswer } from './answering.ts';

/**
 * The time to answer is over, and what is asked does not wait any longer: the agent goes on with its own
 * defaults, or people have to decide. Undefined if it can still be answered later.
 */
export function unanswered(state: State, event: EventOf<'timer_due'>): Next | undefined {
  const { questions = [] } = state;
  if (questions.some(({ on_timeout }) => on_timeout === 'fail')) {
    const asked = questions.map(({ asked: { question } }) => question).join('\n');
    const settled = questions.reduce((before, open) => settle(before, event, open), state);
    const reason = `nobody answered in time: ${asked}`;
    return interruptFor(settled, event, { type: 'unanswered', reason });
  }
  if (!questions.every(({ on_timeout, asked }) => on_timeout === 'default' && asked.default !== undefined))
    return undefined;
  const answered = questions.reduce((before, open) => settle(before, event, open, open.asked.default), state);
  return queueWork(answered, 'attempt', 'Continue with what the agent would choose: nobody answered');
}

function settle(state: State, event: EventOf<'timer_due'>, open: OpenQuestion, reply?: string): State {
  const end = { by: 'coxswain', how: 'nobody answered', ...(reply !== undefined && { reply }) };
  return withAnswer(state, event, { open, end });
}
