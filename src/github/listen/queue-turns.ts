import type { QueueExit } from '../../steering/event.ts';
import { somebody } from '../../steering/person.ts';
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
  const because = exits[incoming.reason] ?? 'unknown';
  if (because === 'merged') return [];
  const by = because === 'person' ? sender.login : somebody;
  return eventOn(incoming, pull.number, { type: kind, ...stamp, by, because });
}

/** By GitHub's words. */
const exits: Readonly<Record<string, QueueExit | 'merged'>> = {
  MERGE: 'merged',
  ALREADY_MERGED: 'merged',
  MANUAL: 'person',
  QUEUE_CLEARED: 'person',
  MERGE_CONFLICT: 'conflict',
  CI_FAILURE: 'checks',
  CI_TIMEOUT: 'timeout',
  BRANCH_PROTECTIONS: 'rules',
};
