import { byTime } from '../../steering/time.ts';
import type { GitHubEventOf } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { commentsSince } from './comments.ts';
import type { Missed, Reading } from './missed.ts';
import { reviewsSince } from './reviews.ts';
import type { Subject } from './subject.ts';

export type MissedCommand = GitHubEventOf<'comment'> | GitHubEventOf<'review'>;

/** Comments and reviews since a time, and where GitHub fails to tell whose words they are. */
export async function missedCommands(
  octokit: Octokit,
  subject: Subject,
  since: string,
): Promise<Missed<MissedCommand> & Reading> {
  const [comments, reviews] = await Promise.all([
    commentsSince(octokit, subject, since),
    reviewsSince(octokit, subject, since),
  ]);
  const events = [...comments.events, ...reviews.events];
  return {
    read_at: comments.read_at,
    complete: comments.complete,
    events: events.toSorted(byTime),
    unread: [...comments.unread, ...reviews.unread],
  };
}
