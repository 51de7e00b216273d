import { react } from '../github/write/reactions.ts';
import { isAlwaysAnswered } from '../steering/answering/reply-limit.ts';
import type { Person } from '../steering/person.ts';
import type { Source } from '../steering/source.ts';
import { messageOf } from './faults.ts';
import type { Repository } from './repository.ts';
import type { Services } from './services.ts';

/** With this many writes waiting, an acknowledgement would only delay the answer. */
const maxWaiting = 20;

/**
 * Shows a person at once that their comment was received; the answer follows. Nothing depends on this, so a
 * failure is only logged. People without write access get only the answer, whose number is limited.
 */
export function acknowledge(
  repository: Repository,
  { source, by }: { readonly source: Source | null; readonly by: Person },
  { log }: Pick<Services, 'log'>,
): void {
  if (source?.from !== 'comment' || !isAlwaysAnswered(by.role)) return;
  if (repository.octokit.waitingWrites() > maxWaiting) return;
  const { comment_id } = source;
  react(repository.octokit, repository, { comment_id, content: 'eyes' }).catch((fault: unknown) =>
    log.warn(`could not acknowledge comment ${comment_id}: ${messageOf(fault)}`),
  );
}
