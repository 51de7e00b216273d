import { shortened } from '../../text/cut.ts';
import type { Turn } from './turn.ts';

/** In an attempt. An agent that stops more often than that does not get along without what it wants. */
export const maxFollowUps = 5;

/**
 * What to tell an agent whose turn ended only because something was not allowed, or because we wanted to tell
 * it something and then did not; null if it ended by itself. Some agents go on after a refusal by themselves.
 */
export function followUpTo(
  { stop, refusals, interrupted, activityBefore }: Turn,
  activity: number,
): string | null {
  const stopped = stop === 'cancelled';
  if (stopped && interrupted && refusals.length === 0) return goOn;
  const isSilent = stop === 'end_turn' && activity === activityBefore;
  if (refusals.length === 0 || !(stopped || isSilent)) return null;
  const lines = refusals.slice(-maxNamed).map(({ title, reason }) => `- ${shortened(title, 500)}: ${reason}`);
  return [notAllowed, ...lines, '', withoutIt].join('\n');
}

const maxNamed = 10;
const goOn = 'You were interrupted by mistake. Go on with the task where you stopped.';
const notAllowed = 'This was not allowed:';
const withoutIt =
  'Go on with the task without it. Do not try the same thing in another way. ' +
  'If the task cannot be done without it, finish what can be done, and say what is missing and why.';
