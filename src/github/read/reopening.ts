import type { Octokit } from '../octokit/connect.ts';
import { newestPages } from './pages.ts';
import { accountOf, type RepositoryRef, repoParams } from './repository.ts';

/** Who closed or reopened a pull request, and when (ISO 8601). */
export interface Turn {
  readonly at: string;
  readonly by: string;
}

/** The newest 5,000 events. */
const maxPages = 50;

/**
 * The last reopening of a pull request that nobody has closed since; undefined if there is none. Its events
 * say so, because right after it was closed GitHub may still show it as open.
 */
export function lastReopening(
  octokit: Octokit,
  where: RepositoryRef,
  number: number,
): Promise<Turn | undefined> {
  return lastTurn({ octokit, where, number }, 'reopened');
}

/** The last closing of a pull request that nobody has reopened since; whoever merged it has closed it. */
export function lastClosing(
  octokit: Octokit,
  where: RepositoryRef,
  number: number,
): Promise<Turn | undefined> {
  return lastTurn({ octokit, where, number }, 'closed');
}

/** The id of GitHub's event for it: later ones have greater ids, also on other issues. */
export async function lastClosingId(
  octokit: Octokit,
  where: RepositoryRef,
  number: number,
): Promise<number | undefined> {
  return (await lastEvent({ octokit, where, number }, 'closed'))?.id;
}

interface PullOnGitHub {
  readonly octokit: Octokit;
  readonly where: RepositoryRef;
  readonly number: number;
}

async function lastTurn(pull: PullOnGitHub, wanted: 'closed' | 'reopened'): Promise<Turn | undefined> {
  const last = await lastEvent(pull, wanted);
  return last && { at: last.created_at, by: accountOf(last.actor).login };
}

async function lastEvent({ octokit, where, number }: PullOnGitHub, wanted: 'closed' | 'reopened') {
  const place = { ...repoParams(where), issue_number: number, per_page: 100 };
  const { listEvents } = octokit.rest.issues;
  const { found } = await newestPages((page) => listEvents({ ...place, page }), maxPages);
  const last = found.findLast(({ event }) => event === 'closed' || event === 'reopened');
  return last?.event === wanted ? last : undefined;
}
