import type { Octokit } from '../octokit/connect.ts';
import { newestEvents } from './pages.ts';
import { accountOf, type RepositoryRef } from './repository.ts';

/** Who closed or reopened a pull request, and when (ISO 8601). */
interface Turn {
  readonly at: string;
  readonly by: string;
}

/** The newest 5,000 events. */
const maxPages = 50;

/**
 * The last reopening of a pull request that nobody has closed since; undefined if there is none. Its events
 * say so, because right after it was closed GitHub may still show it as open.
 */
export function lastReopening(...pull: PullOnGitHub): Promise<Turn | undefined> {
  return lastTurn('reopened', pull);
}

/** The last closing of a pull request that nobody has reopened since; whoever merged it has closed it. */
export function lastClosing(...pull: PullOnGitHub): Promise<Turn | undefined> {
  return lastTurn('closed', pull);
}

/** The id of GitHub's event for it: later ones have greater ids, also on other issues. */
export async function lastClosingId(...pull: PullOnGitHub): Promise<number | undefined> {
  return (await lastEvent('closed', pull))?.id;
}

type PullOnGitHub = readonly [octokit: Octokit, where: RepositoryRef, number: number];

async function lastTurn(wanted: 'closed' | 'reopened', pull: PullOnGitHub): Promise<Turn | undefined> {
  const last = await lastEvent(wanted, pull);
  return last && { at: last.created_at, by: accountOf(last.actor).login };
}

async function lastEvent(wanted: 'closed' | 'reopened', pull: PullOnGitHub) {
  const events = await newestEvents(...pull, maxPages);
  const last = events.findLast(({ event }) => event === 'closed' || event === 'reopened');
  return last?.event === wanted ? last : undefined;
}
