import type { Event, EventType } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';

/** These say nothing about the run that another line does not. */
const silent: readonly EventType[] = ['settled', 'sealed', 'comment_changed'];

/**
 * What the log says of a recorded event, such as `acme/api#7: /approve by mia, now approved
 * (comment:5@2026-01-01T10:00:00Z)`. Undefined if it is not worth a line. Names and ids only: what people and
 * agents write stays out of the log.
 */
export function eventLine(event: Event, { run, standing }: State): string | undefined {
  if (silent.includes(event.type)) return undefined;
  return `${run.id}: ${whatHappened(event)}, now ${standing.phase} (${event.id})`;
}

function whatHappened(event: Event): string {
  switch (event.type) {
    case 'said':
      return `/${event.command.type} by ${event.by.login}`;
    case 'spoke':
      return `words ${event.how === 'wrote' ? 'written' : event.how} by ${event.by.login}`;
    case 'run_started':
      return `started by ${event.by.login}`;
    case 'attempt_started':
      return `attempt ${event.hold.attempt} of iteration ${event.hold.iteration} started`;
    case 'work_failed':
      return `attempt failed (${event.failure.kind})`;
    case 'verified': {
      const passed = event.verifiers.filter(({ success }) => success).length;
      return `${passed} of ${event.verifiers.length} verifiers passed`;
    }
    case 'hold_lost':
      return 'an attempt was lost with its process';
    case 'pushed':
    case 'retargeted':
    case 'closed':
    case 'reopened':
    case 'enqueued':
    case 'dequeued':
    case 'branch_deleted':
    case 'review_dismissed':
      return `${event.type.replace('_', ' ')} by ${event.by}`;
    default:
      return event.type.replace('_', ' ');
  }
}
