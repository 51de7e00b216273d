import type { Source } from '../steering/event.ts';
import type { Person } from '../steering/person.ts';
import { isAlwaysAnswered } from '../steering/reply-limit.ts';
import { messageOf } from './faults.ts';
import type { Repository, Services } from './services.ts';

/**
 * Shows the person at once that their comment was received; what became of it follows.
 * Nobody waits for this and nothing depends on it: a failure is only noted. Who may not write gets the
 * answer alone: anybody could make us write otherwise, without end.
 */
export function acknowledge(
  repository: Repository,
  { source, by }: { readonly source: Source | null; readonly by: Person },
  { log }: Services,
): void {
  if (source?.from !== 'comment' || !isAlwaysAnswered(by.role)) return;
  const { octokit, owner, name: repo } = repository;
  const { comment_id } = source;
  octokit.rest.reactions
    .createForIssueComment({ owner, repo, comment_id, content: 'eyes' })
    .catch((fault: unknown) => log.warn(`could not acknowledge comment ${comment_id}: ${messageOf(fault)}`));
}
