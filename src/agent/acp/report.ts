import type { ToolCall } from '../../steering/attempt-result.ts';
import { shortened } from '../../text/cut.ts';
import type { Outcome } from '../port.ts';
import type { Turn } from './turn.ts';

/** What is known when an agent takes no more prompts. */
interface Work {
  readonly title: string;
  readonly lastMessage: string;
  readonly toolCalls: readonly ToolCall[];
}

/** The outcome of an agent's last turn, by why it stopped. */
export function outcomeOf({ stop, refusals }: Turn, work: Work): Outcome {
  switch (stop) {
    case 'end_turn':
      return completed(work);
    case 'max_tokens':
      return unsure(work, 'stopped at the limit of its model: its answer was too long');
    case 'max_turn_requests':
      return unsure(work, 'stopped at its own limit of requests to its model');
    case 'refusal':
      return failed('cannot', work.lastMessage || `${work.title} refuses to do this`);
    case 'cancelled':
      return refusals.length > 0
        ? unsure(work, 'kept stopping after it was not allowed something')
        : failed('exit', `${work.title} cancelled its turn by itself`);
    default:
      return unsure(work, `stopped for a reason that Coxswain does not know: ${shortened(stop, 100)}`);
  }
}

function completed({ lastMessage, toolCalls }: Work): Outcome {
  const summary = shortened(lastMessage, maxSummary);
  return { kind: 'completed', report: { summary, status: 'done', tool_calls: toolCalls } };
}

/** Its changes may be half of what was wanted, so people must look. */
function unsure({ title, lastMessage, toolCalls }: Work, why: string): Outcome {
  const told = `${title} ${why}.`;
  const summary = [shortened(lastMessage, maxSummary - told.length - 2), told].filter(Boolean).join('\n\n');
  return { kind: 'completed', report: { summary, status: 'uncertain', tool_calls: toolCalls } };
}

function failed(kind: 'cannot' | 'exit', message: string): Outcome {
  return { kind: 'failed', failure: { kind, message: shortened(message, maxSummary) } };
}

const maxSummary = 10_000;
