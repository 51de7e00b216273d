import type { GitHubEventOf } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { commentsSince } from './comments.ts';
import { reviewsSince } from './reviews.ts';
import type { Subject } from './subject.ts';

type Words = GitHubEventOf<'comment'> | GitHubEventOf<'review'>;

/** What people said on a pull request since a time, as webhooks tell it: heard twice, it counts once. */
export async function missedCommands(
  octokit: Octokit,
  subject: Subject,
  since: string,
): Promise<readonly Words[]> {
  const [comments, reviews] = await Promise.all([
    commentsSince(octokit, subject, since),
    reviewsSince(octokit, subject, since),
  ]);
  return [...comments, ...reviews].toSorted((one, other) => one.at.localeCompare(other.at));
}
