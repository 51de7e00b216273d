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

async function requireShown(
  text: IssueText,
  { run, pull, event, services }: Resuming,
  changed: { readonly by: string; readonly number: number },
): Promise<void> {
  const comments = new Comments(targetOf(run.repository, run.number, services), pull.created_at);
  const { cause, shown_at } = await lastShowing(showingOf(text), comments, run);
  if (shown_at !== undefined && Date.parse(shown_at) < Date.parse(event.at)) return;
  const { title, body } = text;
  throw new CannotStart({ why: 'task_changed', ...changed, title, body, shown_as: cause });
}

/** Where a text is shown, and since when; undefined if it is not. */
interface Showing {
  readonly cause: string;
  readonly shown_at: string | undefined;
}

/**
 * Only a reply that nobody has edited shows what we wrote; for those that were edited, another is given. An
 * edited reply may have the marks of several.
 */
async function lastShowing(first: string, comments: Comments, { repository }: Run): Promise<Showing> {
  const edited = new Set<number>();
  for (let times = 1; ; times++) {
    const cause = times === 1 ? first : `${first}/${times}`;
    const shown = await comments.find({ kind: 'reply', id: `${cause}:reply` });
    if (shown === undefined) return { cause, shown_at: undefined };
    if (edited.has(shown.id)) continue;
    const edits = await editsOf(repository.octokit, [shown.node_id]);
    if (edits.get(shown.node_id)?.length === 0) return { cause, shown_at: shown.created_at };
    edited.add(shown.id);
  }
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
