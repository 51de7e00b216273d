import createDebug from 'debug';
import { react } from '../../github/write/write-comments.ts';
import type { Repository } from '../../repository/repository.ts';
import { type Announcement, announcements } from '../../steering/announcements.ts';
import type { Decided } from '../../steering/loop.ts';
import type { Event, EventType } from '../../steering/state/event.ts';
import type { Verdict } from '../../steering/state/ports.ts';
import type { State } from '../../steering/state/state.ts';
import { orTell } from './background-work.ts';
import type { Services } from './services.ts';

const decisions = createDebug('coxswain:decide');
const entries = createDebug('coxswain:record');

/** What was decided about an event, and what of that is in the ledger, with DEBUG=coxswain:*. */
export function explain(run: string, { id }: Event, { verdict, fresh, state }: Decided): void {
  decisions('%s %s: %s', run, id, verdictText(verdict));
  if (fresh) entries('%s %s: entry %d', run, id, state?.seq);
}

function verdictText(verdict: Verdict | undefined): string {
  if (verdict === undefined) return 'the ledger has it';
  if (verdict.outcome === 'nothing') return 'it changes nothing';
  const { refuses, subject, state } = verdict;
  return refuses === true ? `refused: ${subject}` : `${subject} (${state.standing.phase})`;
}

/** Says in the log what this process has recorded, with names and ids only. */
export function tell(event: Event, { before, state }: Decided, { log }: Pick<Services, 'log'>): void {
  if (state === undefined) return;
  const line = eventLine(event, state);
  if (line !== undefined) log.info(line);
  for (const each of announcements(before, state, event)) log.info(announcementLine(each));
}

/** Answers a comment with a reaction, as the verdict says. Nothing depends on it. */
export async function reactTo(
  { repository, name, services: { log } }: Reacting,
  { verdict }: Decided,
): Promise<void> {
  if (verdict?.outcome !== 'next' || verdict.reaction === undefined) return;
  const { comment_id, as: content, last } = verdict.reaction;
  const comment = `comment ${comment_id} of ${name}`;
  await orTell(log, `react to ${comment}`, async () => {
    const isThere = await react(repository.octokit, repository, { comment_id, content, last });
    if (!isThere) log.info(`${comment} no longer exists, so it gets no ${content}`);
  });
}

/** A run, as far as its comments get reactions. */
interface Reacting {
  readonly repository: Repository;
  /** `owner/repo#n` */
  readonly name: string;
  readonly services: Pick<Services, 'log'>;
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
