import { isQuery, specOf } from '../../steering/commands/index.ts';
import type { Account } from '../../steering/shapes/people.ts';
import type { EventOf } from '../../steering/state/event.ts';
import { redact } from '../../text/redact.ts';
import type { GitHubEventOf } from '../events/github-event.ts';
import { parseCommand } from '../markdown/command-parser.ts';
import { saidThrough, textIn, textSha256 } from '../marks.ts';
import { unlessGone } from '../octokit/fault.ts';
import { isOurApp, type Own } from '../own.ts';
import { editsOf, otherEditor } from '../read/edits.ts';
import { repoParams } from '../read/repository-ref.ts';
import { personOf } from '../read/roles.ts';
import { startFromComment } from './hear-request.ts';
import { type Deed, eventOn, type Heard, type Hearing, timeOf, toCommandEvent } from './heard.ts';

type CommentEvent = GitHubEventOf<'comment'>;

/**
 * A comment means what it says when it is first heard. An edit is heard as one: it changes a steer that an
 * agent has not got yet, and has an approval checked again. A deletion may void approvals.
 */
export async function translateComment(incoming: CommentEvent, context: Hearing): Promise<Heard[]> {
  if (isOurOwn(incoming, context.own)) return [];
  switch (incoming.action) {
    case 'created':
      return translateNewComment(incoming, context);
    case 'edited':
      return translateEdit(incoming, context);
    case 'deleted':
      return changeOf(incoming, `comment:${incoming.comment.id}:deleted`, null);
  }
}

async function translateNewComment(incoming: CommentEvent, context: Hearing): Promise<Heard[]> {
  const { comment, issue, author } = incoming;
  const command = parseCommand(comment.body);
  if (command === undefined || (await editorOf(incoming, context)) !== undefined) return [];
  const { id, created_at, updated_at: at } = comment;
  const { door, ...through } = throughOf(incoming, context);
  const given = {
    repository: incoming.repository,
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

function throughOf({ comment, repository, issue, author }: CommentEvent, { own }: Hearing) {
  const there = { repository_id: repository.id, number: issue.number, user_id: author.id };
  return saidThrough({ ...comment, ...there }, own);
}

/**
 * An edit by the author counts only if the whole text is theirs. Once it is not the text any more that a door
 * of ours has sealed, only that the sealed one is gone.
 */
async function translateEdit(incoming: CommentEvent, context: Hearing): Promise<Heard[]> {
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

function changeOf(incoming: CommentEvent, id: string, text: string | null): Heard[] {
  const { at, comment, issue, sender } = incoming;
  if (!issue.is_pull) return [];
  const changed = { type: 'comment_changed', id, at, comment_id: comment.id, text } as const;
  const by_author = isByAuthor(incoming);
  return eventOn(issue.number, { ...changed, by_author, by: sender.login });
}

function isByAuthor({ author, sender }: CommentEvent): boolean {
  return sender.id !== 0 && sender.id === author.id;
}

/** Someone who edited a comment other than its author; undefined if nobody did. */
async function editorOf(
  { comment, author }: CommentEvent,
  { octokit }: Hearing,
): Promise<Account | undefined> {
  if (comment.is_own_text) return undefined;
  return otherEditor((await editsOf(octokit, [comment.node_id])).get(comment.node_id), author);
}

/**
 * Whether a comment sets an agent to work. Such a one counts as it is when we hear of it, if it may have been
 * changed without our knowing: approvals are checked when they are used, and what takes something back counts
 * even if somebody removes it.
 */
export function startsWork({ action, comment, author }: CommentEvent): boolean {
  const command = action === 'created' && !author.bot ? parseCommand(comment.body) : undefined;
  if (command === undefined || command.type === 'misspoken') return false;
  return !isQuery(command.type) && !specOf(command.type).startsNoWork;
}

/** The event with its comment as that is now; undefined if it was deleted. */
export async function asItIsNow(
  incoming: CommentEvent,
  { octokit }: Pick<Hearing, 'octokit'>,
): Promise<CommentEvent | undefined> {
  const { comment, repository } = incoming;
  const place = { ...repoParams(repository), comment_id: comment.id };
  const found = await unlessGone(() => octokit.rest.issues.getComment(place), comment.created_at);
  if (found === undefined) return undefined;
  const { body = '', updated_at } = found.data;
  if (body === comment.body && updated_at === comment.updated_at) return incoming;
  return { ...incoming, comment: { ...comment, body, updated_at, former: null, is_own_text: false } };
}

type Words = GitHubEventOf<'comment' | 'review'>;

/** What somebody does with words on a pull request that are no command. */
export type SaidThere = Pick<EventOf<'spoke'>, 'how'> & { readonly number: number };

/** What is said, changed or deleted besides commands; undefined if there is nothing of the kind. */
export function wordsIn(incoming: Deed, heard: readonly Heard[], own: Own): SaidWords | undefined {
  if (incoming.kind !== 'comment' && incoming.kind !== 'review') return undefined;
  if (incoming.kind === 'comment' && (!incoming.issue.is_pull || isOurOwn(incoming, own))) return undefined;
  const how = deeds[incoming.action];
  const isCommand = heard.some((each) => each.kind === 'event' && each.event.type === 'said');
  if (how === undefined || isCommand) return undefined;
  const { number } = incoming.kind === 'comment' ? incoming.issue : incoming.pull;
  return { number, how, incoming };
}

interface SaidWords extends SaidThere {
  readonly incoming: Words;
}

/** If we write with a person's token, only our hidden markers distinguish our comments from theirs. */
function isOurOwn({ author, comment, sender }: GitHubEventOf<'comment'>, { login }: Own): boolean {
  const hasMarker = textIn(comment.body).includes('<!-- coxswain:');
  return author.login === login && sender.login === login && hasMarker;
}

/**
 * What people say without a command, and what they change or delete of it, while somebody waits for that: an
 * event without their words. Whoever did it is asked about, and the author as well: both may be objecting.
 */
export async function hearWords(
  { number, how, incoming }: SaidWords,
  { octokit }: Pick<Hearing, 'octokit'>,
): Promise<Heard[]> {
  const { author, sender } = incoming;
  const by = await personOf(octokit, incoming.repository, sender);
  const isOwn = sender.id === author.id;
  const other = isOwn ? by : await personOf(octokit, incoming.repository, author);
  return eventOn(number, {
    ...{ type: 'spoke', id: idOf(incoming), how, by: withoutTime(by), author: withoutTime(other) },
    // A deletion has no time of its own, and what is approved until it is heard may rest on it.
    at: how === 'deleted' ? timeOf(by.asked_at ?? other.asked_at, incoming.at) : incoming.at,
  });
}

const deeds: { readonly [A in Words['action']]: EventOf<'spoke'>['how'] | undefined } = {
  created: 'wrote',
  submitted: 'wrote',
  edited: 'edited',
  deleted: 'deleted',
  dismissed: undefined,
};

function idOf(incoming: Words): string {
  const what =
    incoming.kind === 'comment' ? `comment:${incoming.comment.id}` : `review:${incoming.review.id}`;
  return incoming.action === 'edited'
    ? `spoke:${what}@${incoming.at}:edited`
    : `spoke:${what}:${incoming.action}`;
}

function withoutTime({ asked_at: _, ...person }: Awaited<ReturnType<typeof personOf>>) {
  return person;
}
