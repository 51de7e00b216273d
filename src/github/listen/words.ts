import type { EventOf } from '../../steering/state/event.ts';
import type { GitHubEventOf } from '../events/github-event.ts';
import { personOf } from '../read/roles.ts';
import { eventOn, type RunEvent, type TranslateContext, timeOf } from './run-event.ts';

type Words = GitHubEventOf<'comment'> | GitHubEventOf<'review'>;

/**
 * What people say without a command, and what they change or delete of it, while somebody waits for that: an
 * event without their words. Whoever did it is asked about, and the author as well: both may be objecting.
 */
export async function translateWords(incoming: Words, context: TranslateContext): Promise<RunEvent[]> {
  const { author, sender } = incoming;
  const how = deeds[incoming.action];
  const about = incoming.kind === 'comment' ? incoming.issue : incoming.pull;
  if (how === undefined || !(await context.waitsForWords?.({ number: about.number, how }))) return [];
  const by = await personOf(context.octokit, incoming.repository, sender);
  const isOwn = sender.id === author.id;
  const other = isOwn ? by : await personOf(context.octokit, incoming.repository, author);
  return eventOn(incoming, about.number, {
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
