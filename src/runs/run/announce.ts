import createDebug from 'debug';
import { type Announcement, announcements } from '../../steering/announcements.ts';
import type { Event, EventType } from '../../steering/state/event.ts';
import type { Ledger, Recorded, Verdict } from '../../steering/state/ports.ts';
import type { State } from '../../steering/state/state.ts';
import type { Services } from './services.ts';

/** A ledger that keeps the state before the event. */
interface Watched extends Pick<Ledger, 'record'> {
  readonly before: State | undefined;
  /** Undefined if the ledger had the event already. */
  readonly verdict: Verdict | undefined;
}

/** Others may record something first, and then it is decided again: the last state counts. */
export function watching(ledger: Pick<Ledger, 'record'>): Watched {
  let before: State | undefined;
  let verdict: Verdict | undefined;
  return {
    get before() {
      return before;
    },
    get verdict() {
      return verdict;
    },
    record: (event, decide) =>
      ledger.record(event, (state) => {
        before = state;
        verdict = decide(state);
        return verdict;
      }),
  };
}

const decisions = createDebug('coxswain:decide');
const entries = createDebug('coxswain:record');

/** What was decided about an event, and what of that is in the ledger, with DEBUG=coxswain:*. */
export function explain(run: string, { id }: Event, verdict: Verdict | undefined, recorded: Recorded): void {
  decisions('%s %s: %s', run, id, verdictText(verdict));
  if (recorded.fresh) entries('%s %s: entry %d', run, id, recorded.state?.seq);
}

function verdictText(verdict: Verdict | undefined): string {
  if (verdict === undefined) return 'the ledger has it';
  if (verdict.outcome === 'nothing') return 'it changes nothing';
  const { refuses, subject, state } = verdict;
  return refuses === true ? `refused: ${subject}` : `${subject} (${state.standing.phase})`;
}

interface Recording {
  readonly before: State | undefined;
  readonly after: State | undefined;
}

/** Says in the log what this process has recorded, with names and ids only. */
export function tell(event: Event, { before, after }: Recording, { log }: Pick<Services, 'log'>): void {
  if (after === undefined) return;
  const line = eventLine(event, after);
  if (line !== undefined) log.info(line);
  for (const each of announcements(before, after, event)) log.info(announcementLine(each));
}

/** One line of JSON for programs that read the log; what people and agents write is left out. */
function announcementLine(announcement: Announcement): string {
  const { event, run, time, actor } = announcement;
  const interaction = 'interaction' in announcement ? { interaction: announcement.interaction } : {};
  const risk = 'request' in announcement ? { risk_level: announcement.request.risk_level } : {};
  const attempt =
    'attempt' in announcement ? { iteration: announcement.iteration, attempt: announcement.attempt } : {};
  return JSON.stringify({ announcement: event, run, time, actor, ...attempt, ...interaction, ...risk });
}

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
