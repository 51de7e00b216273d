import { queueWork } from '../iterations/iterations.ts';
import type { Next } from '../iterations/step.ts';
import { withAnswer } from '../questions/answering.ts';
import type { OpenQuestion } from '../shapes/standing.ts';
import type { EventOf } from '../state/event.ts';
import type { State } from '../state/state.ts';
import { interruptFor } from './attempt-outcome.ts';

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
