import { isHeard, mayBeHeard } from '../../steering/objections.ts';
import type { Spoken } from '../../steering/shapes/finishing.ts';
import { covers, type Person, somebody } from '../../steering/shapes/people.ts';
import { byTime, isSurelyBefore, wholeSecond } from '../../steering/shapes/time.ts';
import type { Account } from '../events/github-event.ts';
import type { Answers, Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import { editsOf } from './edits.ts';
import { newestPages, newestReviews } from './pagination.ts';
import { accountOf, type RepositoryRef, repoParams } from './repository-ref.ts';
import { personOf, roleOf } from './roles.ts';

interface SpokenPlace {
  readonly where: RepositoryRef;
  readonly number: number;
  /** The ids of the events in the ledger: what they say was decided on when it was recorded. */
  readonly seen: ReadonlySet<string>;
}

/** A limit for one look: the newest 5,000 comments since a time, as of reviews. */
const maxPages = 50;

/** How many people are asked about; more than these are not a stranger's idea of a joke. */
const maxPeople = 100;

/**
 * Who was first to write or edit a comment, or to review, since a time, of those whose words count; else who
 * deleted a comment since. Undefined if nobody did. Where more people spoke than can be asked about, the
 * first of them is taken to count, and so is what was not listed.
 */
export async function spokenSince(
  octokit: Octokit,
  place: SpokenPlace,
  since: string,
): Promise<Spoken | undefined> {
  const comments = await commentsAfter(octokit, place, since);
  const reviews = await reviewsAfter(octokit, place, since);
  const words = [...comments.found, ...reviews.found];
  const people = firstOfEach(words.filter(({ by }) => !by.bot).toSorted(byTime));
  for (const word of people.slice(0, maxPeople)) {
    const { role } = await roleOf(octokit, place.where, word.by);
    if (isHeard({ role, bot: false })) return spokenBy(word);
  }
  const [unasked] = people.slice(maxPeople);
  if (unasked !== undefined) return spokenBy(unasked);
  const { deleted } = await readTimeline(octokit, place.where, { number: place.number, since });
  if (deleted !== undefined || (comments.complete && reviews.complete)) return deleted;
  return { login: somebody, id: 0, at: since, how: 'unread' };
}

/** Those of these people who have no write access now, by login. */
export async function withoutWrite(
  octokit: Octokit,
  where: RepositoryRef,
  people: readonly Pick<Account, 'login' | 'id'>[],
): Promise<readonly string[]> {
  const roles = await Promise.all(people.map((each) => roleOf(octokit, where, each)));
  return people
    .filter((_, index) => !covers(roles[index]?.role ?? 'none', 'write'))
    .map(({ login }) => login);
}

interface Word {
  readonly by: Account;
  /** ISO 8601 */
  readonly at: string;
}

function spokenBy({ by: { login, id }, at }: Word): Spoken {
  return { login, id, at };
}

function firstOfEach(words: readonly Word[]): readonly Word[] {
  return words.filter(({ by }, index) => words.findIndex((each) => each.by.id === by.id) === index);
}

async function commentsAfter(octokit: Octokit, { where, number, seen }: SpokenPlace, since: string) {
  // GitHub's own times have whole seconds.
  const from = new Date(wholeSecond(since)).toISOString();
  const wanted = { ...repoParams(where), issue_number: number, since: from, per_page: 100 };
  const { listComments } = octokit.rest.issues;
  const { found, complete } = await newestPages((page) => listComments({ ...wanted, page }), maxPages);
  const fresh = found.filter(({ id, updated_at }) => !seen.has(`comment:${id}@${updated_at}`));
  const written = fresh.map(({ user, updated_at: at }) => ({ by: accountOf(user), at }));
  const touched = fresh.filter(({ created_at, updated_at }) => created_at !== updated_at);
  const words = [...written, ...(await editsIn(octokit, touched, 'comment'))];
  return { found: words.filter(({ at }) => !isSurelyBefore(at, since)), complete };
}

async function reviewsAfter(octokit: Octokit, { where, number, seen }: SpokenPlace, since: string) {
  const { found, complete } = await newestReviews(octokit, where, number);
  const submitted = found
    .filter(({ id }) => !seen.has(`review:${id}`))
    .map(({ user, submitted_at: at = '' }) => ({ by: accountOf(user), at }));
  // An edit changes no time of a review that GitHub lists.
  const words = [...submitted, ...(await editsIn(octokit, found, 'review'))];
  return { found: words.filter(({ at }) => at !== '' && !isSurelyBefore(at, since)), complete };
}

/** Whoever edited a text has spoken, and so has its author, whose words they may have taken away. */
async function editsIn(
  octokit: Octokit,
  texts: readonly Pick<Answers['issues']['getComment']['response']['data'], 'id' | 'node_id' | 'user'>[],
  what: 'comment' | 'review',
): Promise<readonly Word[]> {
  const ids = texts.map(({ node_id }) => node_id);
  const histories = await editsOf(octokit, ids);
  return texts.flatMap(({ id, node_id, user }) => {
    const history = histories.get(node_id);
    // Nobody may go on alone because it is not known whether somebody spoke.
    if (history === undefined || history === null)
      throw new Error(`could not find out who edited ${what} ${id}`);
    // Apps have no id there, and deleted accounts no rights.
    return history.flatMap(({ by, at }) => [
      { by: accountOf(user), at },
      ...(by === null || by.id === 0 ? [] : [{ by: { ...by, bot: false }, at }]),
    ]);
  });
}

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
