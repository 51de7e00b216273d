import { isBefore } from '../../steering/time.ts';
import type { GitHubEventOf } from '../events/github-event.ts';
import { type PullFacts, readPull } from '../read/pulls.ts';
import { repositoryOf } from './command-event.ts';
import type { RunEvent, TranslateContext } from './run-event.ts';

/**
 * A pull request was closed or reopened. Deliveries arrive late and out of order, and what has been undone
 * since must not end a run or pause it, so the pull request is read; only merging cannot be undone.
 */
export async function translateTurn(
  incoming: GitHubEventOf<'closed' | 'reopened'>,
  { octokit }: TranslateContext,
): Promise<RunEvent[]> {
  const { repository, pull, at, sender } = incoming;
  const isMerged = incoming.kind === 'closed' && incoming.merged;
  const id = `${incoming.kind}:${at}`;
  if (!isMerged && isUndone(incoming, await readPull(octokit, repository, pull.number)))
    return [{ kind: 'obsolete', ...repositoryOf(incoming), number: pull.number, id }];
  const stamp = { id, at, by: sender.login };
  const event =
    incoming.kind === 'reopened'
      ? ({ type: 'reopened', ...stamp } as const)
      : ({ type: 'closed', ...stamp, merged: incoming.merged, base: pull.base_ref } as const);
  return [{ kind: 'event', ...repositoryOf(incoming), number: pull.number, event }];
}

/** Unless GitHub's answer is older than the delivery. */
function isUndone({ kind, at }: GitHubEventOf<'closed' | 'reopened'>, now: PullFacts): boolean {
  if (kind === 'closed') return now.open && !isBefore(now.updated_at, at);
  return now.closed_at !== null && !isBefore(now.closed_at, at);
}
