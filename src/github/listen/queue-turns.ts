import { somebody } from '../../steering/shapes/person.ts';
import type { QueueExit } from '../../steering/state/event.ts';
import type { GitHubEventOf } from '../events/github-event.ts';
import { eventOn, type RunEvent, type TranslateContext } from './run-event.ts';

/**
 * A pull request was put into the merge queue of its base, or left it without being merged. What we do
 * ourselves is recorded where we do it.
 */
export function translateQueueTurn(
  incoming: GitHubEventOf<'enqueued' | 'dequeued'>,
  { own }: TranslateContext,
): RunEvent[] {
  const { kind, pull, at, sender } = incoming;
  if (sender.login === own.login) return [];
  const stamp = { id: `${kind}:${at}`, at };
  if (kind === 'enqueued') return eventOn(incoming, pull.number, { type: kind, ...stamp, by: sender.login });
  const because = exitOf(incoming.reason);
  if (because === 'merged') return [];
  const by = because === 'person' ? sender.login : somebody;
  return eventOn(incoming, pull.number, { type: kind, ...stamp, by, because });
}

/** What GitHub means by its reason, which webhooks and the timeline write differently; it may have others. */
export function exitOf(reason: string): QueueExit | 'merged' {
  return exits[reason.toLowerCase()] ?? 'unknown';
}

const exits: Readonly<Record<string, QueueExit | 'merged'>> = {
  merge: 'merged',
  merged: 'merged',
  already_merged: 'merged',
  manual: 'person',
  queue_cleared: 'person',
  merge_conflict: 'conflict',
  ci_failure: 'checks',
  failed_checks: 'checks',
  ci_timeout: 'timeout',
  checks_timed_out: 'timeout',
  branch_protections: 'rules',
};
