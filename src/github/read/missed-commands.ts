import type { GitHubEventOf } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { commentsSince } from './comments.ts';
import { reviewsSince } from './reviews.ts';
import type { Subject } from './subject.ts';

type Missed = GitHubEventOf<'comment'> | GitHubEventOf<'review'>;

/** Comments and reviews since a time, as webhook events; those already recorded have the same ids. */
export async function missedCommands(
  octokit: Octokit,
  subject: Subject,
  since: string,
): Promise<readonly Missed[]> {
  const [comments, reviews] = await Promise.all([
    commentsSince(octokit, subject, since),
    reviewsSince(octokit, subject, since),
  ]);
  return [...comments, ...reviews].toSorted((one, other) => one.at.localeCompare(other.at));
}
