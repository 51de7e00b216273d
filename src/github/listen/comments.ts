import { type Command, isQuery, specOf } from '../../steering/commands/index.ts';
import type { Account } from '../../steering/shapes/person.ts';
import { redact } from '../../text/redact.ts';
import type { Comment, GitHubEventOf, Repository } from '../events/github-event.ts';
import { parseCommand } from '../markdown/command-parser.ts';
import type { Octokit } from '../octokit/connect.ts';
import { unlessGone } from '../octokit/fault.ts';
import { isOurApp } from '../own.ts';
import { editsOf, otherEditor } from '../read/edits.ts';
import { repoParams } from '../read/repository.ts';
import { saidThrough, textIn } from '../said-mark.ts';
import { textSha256 } from '../text-digest.ts';
import { eventOn, type RunEvent, repositoryOf, type TranslateContext, toCommandEvent } from './run-event.ts';
import { startFromComment } from './start-request.ts';
import { translateWords } from './words.ts';

type CommentEvent = GitHubEventOf<'comment'>;

/**
 * What sets the agent to work counts as it is when it is first read, all else as it was written; later edits
 * only affect a steer that is still queued.
 */
export async function translateComment(
  incoming: CommentEvent,
  context: TranslateContext,
): Promise<RunEvent[]> {
  if (isOurOwn(incoming, context)) return [];
  const events = await translateText(incoming, context);
  const isCommand = events.some((each) => each.kind === 'event' && each.event.type === 'said');
  if (isCommand || !incoming.issue.is_pull) return events;
  return [...events, ...(await translateWords(incoming, context))];
}

async function translateText(incoming: CommentEvent, context: TranslateContext): Promise<RunEvent[]> {
  switch (incoming.action) {
    case 'created':
      return translateNewComment(incoming, context);
    case 'edited':
      return translateEdit(incoming, context);
    case 'deleted':
      return changeOf(incoming, `comment:${incoming.comment.id}:deleted`, null);
  }
}

/** If we write with a person's token, only our hidden markers distinguish our comments from theirs. */
function isOurOwn({ author, comment, sender }: CommentEvent, { own }: TranslateContext): boolean {
  const hasMarker = textIn(comment.body).includes('<!-- coxswain:');
  return author.login === own.login && sender.login === own.login && hasMarker;
}

async function translateNewComment(incoming: CommentEvent, context: TranslateContext): Promise<RunEvent[]> {
  const current = await asItIsNow(incoming, context);
  if (current === undefined) return [];
  const { comment, issue, author } = current;
  const command = parseCommand(comment.body);
  if (command === undefined || (await editorOf(current, context)) !== undefined) return [];
  const { id, created_at, updated_at: at } = comment;
  const { door, ...through } = throughOf(current, context);
  const given = {
    ...repositoryOf(incoming),
    number: issue.number,
    // It may have been edited before we read it, and its webhook may still come with the first version.
    id: `comment:${id}@${created_at}`,
    at,
    author: author,
    command,
    source: {
      from: 'comment',
      ...{ comment_id: id, text_sha256: textSha256(comment.body), written_at: at },
      ...(door !== undefined && { door }),
    },
    ...through,
  } as const;
  if (command.type === 'run') return startFromComment({ ...given, command }, issue, context);
  return issue.is_pull ? toCommandEvent(given, context) : [];
}

function throughOf({ comment, repository, issue, author }: CommentEvent, { own }: TranslateContext) {
  const there = { repository_id: repository.id, number: issue.number, user_id: author.id };
  return saidThrough({ ...comment, ...there }, own);
}

/**
 * Only what sets the agent to work is read again: approvals are checked when they are used, and what takes
 * something back counts even if somebody removes it. Undefined if the comment is gone.
 */
async function asItIsNow(
  incoming: CommentEvent,
  { octokit, mustReadAgain = async () => false }: TranslateContext,
): Promise<CommentEvent | undefined> {
  const { comment, author, repository, issue } = incoming;
  const command = parseCommand(comment.body);
  if (command === undefined || author.bot || !startsWork(command)) return incoming;
  const { number, is_pull } = issue;
  if (!(await mustReadAgain({ written_at: comment.created_at, number, is_pull }))) return incoming;
  const now = await commentNow(octokit, repository, comment);
  return now && { ...incoming, comment: now };
}

function startsWork({ type }: Command): boolean {
  return type !== 'misspoken' && !isQuery(type) && !specOf(type).startsNoWork;
}

/**
 * An edit by the author counts only if the whole text is theirs. Once it is not the text any more that a door
 * of ours has sealed, only that the sealed one is gone.
 */
async function translateEdit(incoming: CommentEvent, context: TranslateContext): Promise<RunEvent[]> {
  const { comment, issue } = incoming;
  if (!issue.is_pull) return [];
  const command = parseCommand(comment.body);
  const isTheirs = comment.via_app === null || !isOurApp(comment.via_app, context.own);
  const isSaid = isTheirs || throughOf(incoming, context).via_app === undefined;
  const text = command?.type === 'steer' && isSaid ? redact(command.prompt) : null;
  const other = text !== null && isByAuthor(incoming) ? await editorOf(incoming, context) : undefined;
  const sender = other === undefined ? incoming.sender : { ...other, bot: false };
  // In whole seconds, an edit may have the time at which the comment was written, or another edit.
  const version = textSha256(comment.body).slice(0, 12);
  const id = `comment:${comment.id}@${comment.updated_at}:edited:${version}`;
  return changeOf({ ...incoming, sender }, id, text);
}

function changeOf(incoming: CommentEvent, id: string, text: string | null): RunEvent[] {
  const { at, comment, issue, sender } = incoming;
  if (!issue.is_pull) return [];
  const changed = { type: 'comment_changed', id, at, comment_id: comment.id, text } as const;
  const by_author = isByAuthor(incoming);
  return eventOn(incoming, issue.number, { ...changed, by_author, by: sender.login });
}

function isByAuthor({ author, sender }: CommentEvent): boolean {
  return sender.id !== 0 && sender.id === author.id;
}

/** Someone who edited a comment other than its author; undefined if nobody did. */
async function editorOf(
  { comment, author }: CommentEvent,
  { octokit }: TranslateContext,
): Promise<Account | undefined> {
  if (comment.is_own_text) return undefined;
  return otherEditor((await editsOf(octokit, [comment.node_id])).get(comment.node_id), author);
}

/** A comment of a webhook as it is now; undefined if it was deleted. */
async function commentNow(
  octokit: Octokit,
  repository: Repository,
  comment: Comment,
): Promise<Comment | undefined> {
  const place = { ...repoParams(repository), comment_id: comment.id };
  const found = await unlessGone(() => octokit.rest.issues.getComment(place), comment.created_at);
  if (found === undefined) return undefined;
  const { body = '', updated_at } = found.data;
  if (body === comment.body && updated_at === comment.updated_at) return comment;
  return { ...comment, body, updated_at, former: null, is_own_text: false };
}
