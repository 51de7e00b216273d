import type { InstallationActor, UserActor } from '../actors.ts';
import { type Context, timestamp } from '../context.ts';
import type { Json } from '../json.ts';
import type { Comment, Issue, Label, Repository } from '../model.ts';
import { commentPayload, issuePayload, labelPayload } from '../payloads/issues.ts';
import { validationFailed } from '../responses.ts';
import { isPull } from '../store.ts';
import { rewrite } from './edits.ts';
import { recordIssueEvent } from './issue-events.ts';
import { pullDetails } from './pull-details.ts';

/** The author of a text, with the App if the author is one or wrote through it. */
export interface Author {
  user_id: number;
  app_id: number | null;
}

export interface NewIssue {
  title: string;
  body: string | null;
  author: Author;
}

export const maxTextLength = 65_536;

export function authorOf(actor: UserActor | InstallationActor): Author {
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
    reactions: [],
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
  context: Context,
  issue: Issue,
  { action, sender_id, more = {} }: { action: string; sender_id: number; more?: Json },
): Promise<void> {
  const repository = context.store.repository(issue.repository_id);
  if (isPull(issue)) {
    const payload = { number: issue.number, pull_request: await pullDetails(context, issue), ...more };
    context.emit({ name: 'pull_request', action, repository, sender_id, payload });
    return;
  }
  context.emit({
    name: 'issues',
    action,
    repository,
    sender_id,
    payload: { issue: issuePayload(context, issue), ...more },
  });
}

export interface TextEdit {
  title?: string | undefined;
  body?: string | null | undefined;
}

/** Changes title and body; the event contains the previous values. */
export async function editText(
  context: Context,
  issue: Issue,
  edit: TextEdit & { sender_id: number },
): Promise<void> {
  const changes: Json = {};
  if (edit.title !== undefined && edit.title !== issue.title) {
    const rename = { from: issue.title, to: edit.title };
    changes['title'] = { from: rename.from };
    recordIssueEvent(context, issue, { event: 'renamed', rename, actor_id: edit.sender_id });
    issue.title = edit.title;
  }
  if (edit.body !== undefined && edit.body !== issue.body) {
    requireMaxLength(edit.body);
    changes['body'] = { from: issue.body ?? '' };
    rewrite(context, issue, { body: edit.body, author_id: issue.user_id, editor_id: edit.sender_id });
  }
  if (Object.keys(changes).length === 0) return;
  issue.updated_at = timestamp(context);
  await emitIssueEvent(context, issue, { action: 'edited', sender_id: edit.sender_id, more: { changes } });
}

/** Replaces the labels; emits one event for each label that was added or removed. */
export async function setLabels(
  context: Context,
  issue: Issue,
  { names, sender_id }: { names: string[]; sender_id: number },
): Promise<void> {
  const repository = context.store.repository(issue.repository_id);
  const labels = [...new Set(names.map((name) => labelNamed(context, repository, name)))];
  const removed = repository.labels.filter(
    (label) => issue.label_ids.includes(label.id) && !labels.includes(label),
  );
  const added = labels.filter((label) => !issue.label_ids.includes(label.id));
  if (removed.length + added.length === 0) return;
  issue.label_ids = labels.map((label) => label.id);
  issue.updated_at = timestamp(context);
  for (const [action, changed] of [
    ['unlabeled', removed],
    ['labeled', added],
  ] as const) {
    for (const label of changed) {
      const { name, color } = label;
      recordIssueEvent(context, issue, { event: action, label: { name, color }, actor_id: sender_id });
      const more = { label: labelPayload(context, repository, label) };
      await emitIssueEvent(context, issue, { action, sender_id, more });
    }
  }
}

/** Creates the label if the repository does not have it, as GitHub does. */
export function labelNamed(context: Context, repository: Repository, name: string): Label {
  const existing = findLabel(repository, name);
  if (existing) return existing;
  const label = { id: context.store.id(), name, color: 'ededed', description: null };
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
  context: Context,
  comment: Comment,
  { action, sender_id, more = {} }: { action: string; sender_id: number; more?: Json },
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
