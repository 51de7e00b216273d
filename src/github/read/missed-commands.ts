import type { GitHubEventOf, Repository } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { commentsSince } from './comments.ts';
import { reviewsSince } from './reviews.ts';

/** A run's pull request, as far as words about it need it. */
export interface Subject {
  readonly repository: Repository;
  readonly number: number;
  readonly title: string;
  readonly head_ref: string;
  readonly head_sha: string;
  readonly labels: readonly string[];
  /** The ids of the run's events: they tell an edited comment that was never heard from one that was. */
  readonly seen?: ReadonlySet<string>;
}

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
