import { changedSince, type IssueText, readIssueText } from '../../github/read/issue-text.ts';
import type { Contributors } from '../../steering/person.ts';
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

/** Who changed the issue last, because the agent reads what they wrote; incomplete if GitHub names nobody. */
export function lastEditorOf(text: IssueText | undefined): Contributors {
  const [last] = text?.changes ?? [];
  if (last === undefined) return { people: [], complete: true };
  return last.by.id === 0 ? { people: [], complete: false } : { people: [last.by], complete: true };
}
