import { isHeard } from '../../steering/hearing.ts';
import { covers, somebody } from '../../steering/shapes/person.ts';
import type { Spoken } from '../../steering/shapes/proceeding.ts';
import { byTime, isSurelyBefore, wholeSecond } from '../../steering/shapes/time.ts';
import type { Account } from '../events/github-event.ts';
import type { Answers, Octokit } from '../octokit/connect.ts';
import { readTimeline } from './base-changes.ts';
import { editsOf } from './edits.ts';
import { newestPages, newestReviews } from './pages.ts';
import { accountOf, type RepositoryRef, repoParams } from './repository.ts';
import { roleOf } from './roles.ts';

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
