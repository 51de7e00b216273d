import { mayBeHeard } from '../../steering/hearing.ts';
import { type Person, somebody } from '../../steering/shapes/person.ts';
import type { Spoken } from '../../steering/shapes/proceeding.ts';
import { wholeSecond } from '../../steering/shapes/time.ts';
import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import type { RepositoryRef } from './repository.ts';
import { personOf } from './roles.ts';

/** Who changed the base of a pull request, and when. */
export interface BaseChange {
  readonly at: string;
  readonly by: string;
}

/** The last change of a pull request's base to this branch; undefined where GitHub does not tell. */
export async function lastBaseChange(
  octokit: Octokit,
  where: RepositoryRef,
  { number, base }: { readonly number: number; readonly base: string },
): Promise<BaseChange | undefined> {
  try {
    const timeline = await timelineOf(octokit, where, { number, since: null });
    const found = itemsIn(timeline?.bases).findLast(
      ({ currentRefName, newBase }) => (currentRefName ?? newBase) === base,
    );
    return found && { at: found.createdAt, by: found.actor?.login ?? somebody };
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.retriable) throw fault;
    octokit.log.warn(`could not find out who changed the base of #${number}: ${fault.message}`);
    return undefined;
  }
}

/** What the timeline of a pull request says, since a time, that decides whether an approval counts. */
export async function readTimeline(
  octokit: Octokit,
  where: RepositoryRef,
  { number, since }: { readonly number: number; readonly since: string },
) {
  const found = await timelineOf(octokit, where, {
    number,
    since: new Date(wholeSecond(since)).toISOString(),
  });
  return {
    /** When the base was last changed, to whatever branch, ISO 8601; null if it never was. */
    base_changed_at: itemsIn(found?.bases).at(-1)?.createdAt ?? null,
    /** The last deletion of a comment that may have been heard; undefined if there was none since. */
    deleted: await lastHeard(octokit, where, { deletions: found?.deletions, since }),
  };
}

/** What GitHub does not say counts, and so does what it has not listed: somebody may have objected. */
async function lastHeard(
  octokit: Octokit,
  where: RepositoryRef,
  { deletions, since }: { readonly deletions: Items<Deletion> | undefined; readonly since: string },
): Promise<Spoken | undefined> {
  const known = new Map<string, Promise<Person>>();
  const asked = (actor: Actor | null) => {
    const key = `${actor?.__typename} ${actor?.login}`;
    const asking = known.get(key) ?? personFrom(octokit, where, actor);
    known.set(key, asking);
    return asking;
  };
  for (const { createdAt: at, actor, deletedCommentAuthor } of itemsIn(deletions).toReversed()) {
    const by = await asked(actor);
    if (!mayBeHeard(by) && !mayBeHeard(await asked(deletedCommentAuthor))) continue;
    return { login: by.login, id: by.id, at, how: 'deleted' };
  }
  return deletions?.pageInfo.hasPreviousPage ? { ...nobody, at: since, how: 'unread' } : undefined;
}

const nobody = { login: somebody, id: 0 } as const;

async function personFrom(octokit: Octokit, where: RepositoryRef, actor: Actor | null): Promise<Person> {
  const bot = actor?.__typename === 'Bot';
  if (actor?.databaseId === undefined)
    return { ...nobody, ...(bot && { login: actor.login }), bot, role: 'none' };
  const { asked_at: _, ...person } = await personOf(octokit, where, {
    login: actor.login,
    id: actor.databaseId,
    bot,
  });
  return person;
}

async function timelineOf(
  octokit: Octokit,
  { owner, name }: RepositoryRef,
  { number, since }: { readonly number: number; readonly since: string | null },
) {
  const wanted = { owner, name, number, since, deletions: since !== null };
  const { repository } = await octokit.graphql<Answer>(query, wanted);
  return repository?.pullRequest;
}

function itemsIn<T>(items: Items<T> | undefined): readonly T[] {
  return (items?.nodes ?? []).flatMap((node) => node ?? []);
}

/** The base of a pull request also changes when its branch is renamed, or deleted after a merge. */
const query = `query($owner: String!, $name: String!, $number: Int!, $since: DateTime, $deletions: Boolean!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      bases: timelineItems(last: 10, itemTypes: [BASE_REF_CHANGED_EVENT, AUTOMATIC_BASE_CHANGE_SUCCEEDED_EVENT]) {
        nodes {
          ... on BaseRefChangedEvent { createdAt currentRefName actor { login } }
          ... on AutomaticBaseChangeSucceededEvent { createdAt newBase actor { login } }
        }
      }
      deletions: timelineItems(last: 100, since: $since, itemTypes: [COMMENT_DELETED_EVENT]) @include(if: $deletions) {
        pageInfo { hasPreviousPage }
        nodes {
          ... on CommentDeletedEvent {
            createdAt
            actor { __typename login ... on User { databaseId } }
            deletedCommentAuthor { __typename login ... on User { databaseId } }
          }
        }
      }
    }
  }
}`;

interface Answer {
  readonly repository: {
    readonly pullRequest: { readonly bases: Items<Change>; readonly deletions?: Items<Deletion> } | null;
  } | null;
}

interface Items<T> {
  readonly pageInfo: { readonly hasPreviousPage: boolean };
  readonly nodes: readonly (T | null)[];
}

interface Change {
  readonly createdAt: string;
  readonly currentRefName?: string;
  readonly newBase?: string;
  readonly actor: { readonly login: string } | null;
}

/** Which comment it was, GitHub does not say. */
interface Deletion {
  readonly createdAt: string;
  readonly actor: Actor | null;
  readonly deletedCommentAuthor: Actor | null;
}

interface Actor {
  readonly __typename: string;
  readonly login: string;
  readonly databaseId?: number;
}
