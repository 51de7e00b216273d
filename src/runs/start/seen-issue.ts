import { changedSince, type IssueText, readIssueText } from '../../github/read/edits.ts';
import { type Account, type Contributors, isSame } from '../../steering/shapes/people.ts';
import { CannotStart } from './cannot-start.ts';
import type { Starting } from './starting.ts';

/** A label says less than a comment about what its author has read, and when. */
const readingTimeMs = 60_000;

/**
 * Refuses a run on an issue whose text someone else changed after the person who asked for the run had read
 * it: anyone may edit an issue of their own, and people with write access any issue.
 */
export function requireSeen({ request }: Pick<Starting, 'request'>, text: IssueText | undefined): void {
  if (text === undefined) return;
  const readAt = Date.parse(request.at) - (request.source === null ? readingTimeMs : 0);
  const other = changedSince(text, new Date(readAt).toISOString(), [request.by]);
  if (other === undefined) return;
  const { title, body } = text;
  throw new CannotStart({ why: 'issue_changed', by: other.login, title, body });
}

/** The text of the issue on which a run was requested; undefined if there is none. */
export async function issueTextFor({ request, repository }: Starting): Promise<IssueText | undefined> {
  const { issue } = request;
  return issue === null ? undefined : readIssueText(repository.octokit, repository, issue.number);
}

/**
 * Whose words the agent reads: whoever changed the issue last, else whoever opened it, unless that is the
 * person who asked for the run, for whom there is a rule of its own. Incomplete if GitHub does not name them.
 */
export function writerOf(text: IssueText | undefined, requester: Account | null): Contributors {
  const [last] = text?.changes ?? [];
  if (last !== undefined)
    return last.by.id === 0 ? { people: [], complete: false } : { people: [last.by], complete: true };
  const author = text?.author ?? null;
  const isOther = author !== null && (requester === null || !isSame(author, requester));
  return { people: isOther ? [author] : [], complete: true };
}
