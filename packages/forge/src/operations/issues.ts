import type { Actor } from '../actors.ts';
import { type Context, type Sender, timestamp } from '../context.ts';
import type {
  Author,
  AutoMerge,
  Comment,
  Edit,
  Issue,
  Json,
  Label,
  PullIssue,
  Repository,
} from '../model.ts';
import { commentPayload, issuePayload, labelPayload } from '../payloads/issues.ts';
import { HttpError, validationFailed } from '../responses.ts';
import { isPull } from '../store.ts';
import { recordIssueEvent } from './issue-events.ts';
import { pullDetails } from './pull-details.ts';

/** What an issue begins with, and a pull request. */
export interface NewIssue {
  title: string;
  body: string | null;
  author: Author;
}

const maxTextLength = 65_536;

/** Who writes as this actor; throws a 401 for those who cannot. */
export function authorOf(actor: Actor): Author {
  if (actor.kind !== 'user' && actor.kind !== 'installation') {
    throw new HttpError(401, 'Requires authentication');
  }
  const app = actor.kind === 'installation' ? actor.app : actor.via?.app;
  return { user_id: actor.account.id, app_id: app?.id ?? null };
}

/** Creates an issue with the next number; also the first step of a pull request. */
export function addIssue(context: Context, repository: Repository, { title, body, author }: NewIssue): Issue {
  requireMaxLength(body);
  const now = timestamp(context);
  const issue: Issue = {
    id: context.store.id(),
    repository_id: repository.id,
    number: repository.next_number,
    title,
    body,
    state: 'open',
    state_reason: null,
    ...author,
    edits: [],
    label_ids: [],
    created_at: now,
    updated_at: now,
    closed_at: null,
    closed_by_id: null,
    pull: null,
  };
  repository.next_number += 1;
  context.store.data.issues.push(issue);
  return issue;
}

/** Emits `issues` for an issue and `pull_request` for a pull request. */
export async function emitIssueEvent(
  { context, sender_id }: Sender,
  issue: Issue,
  action: string,
  more: Json = {},
): Promise<void> {
  const repository = context.store.repository(issue.repository_id);
  const event = isPull(issue)
    ? { name: 'pull_request', number: issue.number, pull_request: await pullDetails(context, issue) }
    : { name: 'issues', issue: issuePayload(context, issue) };
  const { name, ...shown } = event;
  context.emit({ name, action, repository, sender_id, payload: { ...shown, ...more } });
}

/** Changes title and body; the event contains the previous values. */
export async function editText(
  sender: Sender,
  issue: Issue,
  edit: { title: string | undefined; body: string | undefined },
): Promise<void> {
  const { context, sender_id } = sender;
  const changes: Json = {};
  if (edit.title !== undefined && edit.title !== issue.title) {
    const rename = { from: issue.title, to: edit.title };
    changes['title'] = { from: rename.from };
    recordIssueEvent(sender, issue, { event: 'renamed', rename });
    issue.title = edit.title;
  }
  if (edit.body !== undefined && edit.body !== issue.body) {
    requireMaxLength(edit.body);
    changes['body'] = { from: issue.body ?? '' };
    rewrite(context, issue, edit.body, sender_id);
  }
  if (Object.keys(changes).length === 0) return;
  issue.updated_at = timestamp(context);
  await emitIssueEvent(sender, issue, 'edited', { changes });
}

/** Replaces the labels; emits one event for each label that was added or removed. */
export async function setLabels(sender: Sender, issue: Issue, names: string[]): Promise<void> {
  const { context } = sender;
  const repository = context.store.repository(issue.repository_id);
  const labels = [...new Set(names.map((name) => labelNamed(context, repository, name)))];
  const removed = context.store.labelsOn(issue).filter((label) => !labels.includes(label));
  const added = labels.filter((label) => !issue.label_ids.includes(label.id));
  if (removed.length + added.length === 0) return;
  issue.label_ids = labels.map((label) => label.id);
  issue.updated_at = timestamp(context);
  const changed = [
    ...removed.map((label) => ['unlabeled', label] as const),
    ...added.map((label) => ['labeled', label] as const),
  ];
  for (const [event, label] of changed) {
    const { name, color } = label;
    recordIssueEvent(sender, issue, { event, label: { name, color } });
    await emitIssueEvent(sender, issue, event, { label: labelPayload(context, repository, label) });
  }
}

/** Creates the label if the repository does not have it, as GitHub does. */
function labelNamed(context: Context, repository: Repository, name: string): Label {
  return (
    findLabel(repository, name) ?? addLabel(context, repository, { name, color: 'ededed', description: null })
  );
}

export function addLabel(context: Context, repository: Repository, wanted: Omit<Label, 'id'>): Label {
  const label = { id: context.store.id(), ...wanted };
  repository.labels.push(label);
  return label;
}

export function findLabel(repository: Repository, name: string): Label | undefined {
  return repository.labels.find((label) => label.name.toLowerCase() === name.toLowerCase());
}

export function addComment(
  context: Context,
  issue: Issue,
  { body, author }: { body: string; author: Author },
): Comment {
  requireMaxLength(body);
  const now = timestamp(context);
  const comment: Comment = {
    id: context.store.id(),
    repository_id: issue.repository_id,
    issue_number: issue.number,
    ...author,
    body,
    edits: [],
    reactions: [],
    created_at: now,
    updated_at: now,
  };
  context.store.data.comments.push(comment);
  issue.updated_at = now;
  return comment;
}

export function emitCommentEvent(
  { context, sender_id }: Sender,
  comment: Comment,
  action: string,
  more: Json = {},
): void {
  const repository = context.store.repository(comment.repository_id);
  const issue = context.store.issue(repository, comment.issue_number);
  if (!issue)
    throw new Error(`the forge has no issue ${comment.issue_number}, which comment ${comment.id} is on`);
  const payload = { issue: issuePayload(context, issue), comment: commentPayload(context, comment), ...more };
  context.emit({ name: 'issue_comment', action, repository, sender_id, payload });
}

export function requireMaxLength(text: string | null): void {
  if (text === null || [...text].length <= maxTextLength) return;
  throw validationFailed('Issue', `body is too long (maximum is ${maxTextLength} characters)`, 'body');
}

/** A text with its edit history, which is empty until the first edit. */
interface EditableText<Body extends string | null> {
  user_id: number;
  body: Body;
  edits: Edit[];
  created_at: string;
}

/** Replaces a text and keeps all its versions; an unchanged text is not an edit. */
export function rewrite<Body extends string | null>(
  context: Context,
  text: EditableText<Body>,
  body: Body,
  editor_id: number,
): void {
  if (text.body === body) return;
  const version = (of: Body, id: number, at: string): Edit => ({
    body: of ?? '',
    editor_id: id,
    edited_at: at,
  });
  if (text.edits.length === 0) text.edits.push(version(text.body, text.user_id, text.created_at));
  text.edits.push(version(body, editor_id, timestamp(context)));
  text.body = body;
}

/** Closes or reopens the issue, if it is not in that state already. */
export async function setState(
  sender: Sender,
  issue: Issue,
  state: 'open' | 'closed',
  { reason, closer }: { reason?: Issue['state_reason']; closer?: number } = {},
): Promise<void> {
  if (issue.state === state) return;
  if (state === 'closed' && isPull(issue)) await disableAutoMerge(sender, issue, 'closed');
  issue.state = state;
  issue.updated_at = timestamp(sender.context);
  issue.closed_at = state === 'closed' ? issue.updated_at : null;
  issue.closed_by_id = state === 'closed' ? sender.sender_id : null;
  issue.state_reason = isPull(issue) ? null : state === 'closed' ? (reason ?? 'completed') : 'reopened';
  const event = state === 'closed' ? 'closed' : 'reopened';
  const state_reason = state === 'closed' ? issue.state_reason : null;
  recordIssueEvent(sender, issue, { event, state_reason, ...(closer && { closer }) });
  await emitIssueEvent(sender, issue, event);
}

const enabledEvents = {
  merge: 'auto_merge_enabled',
  squash: 'auto_squash_enabled',
  rebase: 'auto_rebase_enabled',
} as const;

/** Enables auto-merge: the pull request is merged on behalf of this account as soon as rules allow it. */
export async function enableAutoMerge(context: Context, issue: PullIssue, auto: AutoMerge): Promise<void> {
  issue.pull.auto_merge = auto;
  issue.updated_at = timestamp(context);
  const sender = { context, sender_id: auto.enabled_by_id };
  recordIssueEvent(sender, issue, { event: enabledEvents[auto.merge_method] });
  await emitIssueEvent(sender, issue, 'auto_merge_enabled');
}

/** What switches auto-merge off; GitHub's words for it are similar. */
const reasons = {
  base: 'Base branch was changed by a user without write access',
  closed: 'Pull request was closed',
  draft: 'Pull request was converted to draft',
  manually_disabled: 'Manually disabled by user',
};

/** Disables auto-merge. A new head or base alone does not: GitHub trusts whoever may write. */
export async function disableAutoMerge(
  sender: Sender,
  issue: PullIssue,
  why: keyof typeof reasons,
): Promise<void> {
  if (issue.pull.auto_merge === null) return;
  issue.pull.auto_merge = null;
  issue.updated_at = timestamp(sender.context);
  const reason = reasons[why];
  recordIssueEvent(sender, issue, { event: 'auto_merge_disabled', reason });
  await emitIssueEvent(sender, issue, 'auto_merge_disabled', { reason });
}
