import type { EventOf } from '../../steering/state/event.ts';
import type { GitHubEventOf } from '../events/github-event.ts';
import type { Own } from '../own.ts';
import { personOf } from '../read/roles.ts';
import { textIn } from '../said-mark.ts';
import { type Deed, eventOn, type Heard, type Hearing, timeOf } from './heard.ts';

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
export function isOurOwn({ author, comment, sender }: GitHubEventOf<'comment'>, { login }: Own): boolean {
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
