import { GitHubFault } from '../../github/octokit/fault.ts';
import { editsOf } from '../../github/read/edits.ts';
import { changedSince, type IssueText, readIssueText } from '../../github/read/issue-text.ts';
import type { PullFacts } from '../../github/read/pulls.ts';
import { repoParams } from '../../github/read/repository.ts';
import { textSha256 } from '../../github/text-digest.ts';
import { taskDigest } from '../../github/words/starting.ts';
import { Comments } from '../../github/write/comments.ts';
import type { EventOf } from '../../steering/event.ts';
import type { Contributors } from '../../steering/person.ts';
import type { Task } from '../../steering/task.ts';
import { targetOf } from '../comment-target.ts';
import type { Run } from '../run.ts';
import type { Services } from '../services.ts';
import { CannotStart } from '../start/cannot-start.ts';
import { writerOf } from '../start/seen-issue.ts';
import { taskOf } from '../start/task.ts';
import type { SoundClaim } from './sound-claim.ts';

/** The task of a run, read again from the issue for which its branch was claimed. */
export interface TaskOfIssue {
  readonly task: Task;
  /** Whoever changed the issue last. */
  readonly editors: Contributors;
}

/** A /resume of someone who may have a ledger rebuilt. */
interface Resuming {
  readonly run: Run;
  readonly pull: PullFacts;
  readonly event: EventOf<'said'>;
  readonly services: Services;
}

/**
 * The task as the issue of the claim says it now; null if there is no such issue. Anyone may edit an issue of
 * their own, and people with write access any issue: unless the claim proves the text, what somebody else
 * changed was first shown to whoever says /resume. Throws `CannotStart` with the text to show.
 */
export async function taskFromIssue(
  { issue, requester, task_digest }: SoundClaim,
  resuming: Resuming,
): Promise<TaskOfIssue | null> {
  const { repository } = resuming.run;
  if (issue === null || !(await hasIssue(resuming.run, issue))) return null;
  const text = await readIssueText(repository.octokit, repository, issue);
  const request = { issue: { ...text, number: issue, open: true }, text: '', cause: `issue:${issue}:run` };
  const task = taskOf(request, `${repository.owner}/${repository.name}`, resuming.pull.base_ref);
  if (taskDigest(task) !== task_digest) {
    const known = [resuming.event.by, ...(requester === null ? [] : [requester])];
    const other = changedSince(text, new Date(0).toISOString(), known);
    if (other !== undefined) await requireShown(text, resuming, { by: other.login, number: issue });
  }
  return { task, editors: writerOf(text, requester) };
}

/** The reply that shows this version of the text; someone may change a text back and forth. */
function showingOf({ title, body, changes, listed_since }: IssueText): string {
  const digest = textSha256(JSON.stringify([title, body])).slice(0, 32);
  return `task:${digest}@${changes[0]?.at ?? listed_since}`;
}

/** Only a reply that nobody has edited shows what we wrote. */
async function requireShown(
  text: IssueText,
  { run, pull, event, services }: Resuming,
  changed: { readonly by: string; readonly number: number },
): Promise<void> {
  const { repository, number } = run;
  const cause = showingOf(text);
  const comments = new Comments(targetOf(repository, number, services), pull.created_at);
  const shown = await comments.find({ kind: 'reply', id: `${cause}:reply` });
  if (shown !== undefined && Date.parse(shown.created_at) < Date.parse(event.at)) {
    const edits = await editsOf(repository.octokit, [shown.node_id]);
    if (edits.get(shown.node_id)?.length === 0) return;
  }
  const { title, body } = text;
  throw new CannotStart({ why: 'task_changed', ...changed, title, body, shown_as: cause });
}

async function hasIssue({ repository }: Run, issue_number: number): Promise<boolean> {
  try {
    await repository.octokit.rest.issues.get({ ...repoParams(repository), issue_number });
    return true;
  } catch (fault) {
    if (fault instanceof GitHubFault && (fault.status === 404 || fault.status === 410)) return false;
    throw fault;
  }
}
