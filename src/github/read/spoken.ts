import { covers } from '../../steering/person.ts';
import { isHeard } from '../../steering/proceeding/proceed.ts';
import type { Spoken } from '../../steering/proceeding/proceeding.ts';
import { byTime, isSurelyBefore, wholeSecond } from '../../steering/time.ts';
import type { Account } from '../events/github-event.ts';
import type { Octokit } from '../octokit/connect.ts';
import { editsOf } from './edits.ts';
import { firstPages } from './pages.ts';
import { accountOf, type RepositoryRef, repoParams } from './repository.ts';
import { roleOf } from './roles.ts';

export interface SpokenPlace {
  readonly where: RepositoryRef;
  readonly number: number;
  /** The ids of the events in the ledger: what they say was decided on when it was recorded. */
  readonly seen: ReadonlySet<string>;
}

/** A limit for one look: 5,000 comments and as many reviews. */
const maxPages = 50;

/** How many people are asked about; more than these are not a stranger's idea of a joke. */
const maxPeople = 100;

/**
 * Who was first to write or edit a comment, or to review, since a time, of those whose words count; undefined
 * if nobody did. Where more people spoke than can be asked about, the first of them is taken to count.
 */
export async function spokenSince(
  octokit: Octokit,
  place: SpokenPlace,
  since: string,
): Promise<Spoken | undefined> {
  const words = [
    ...(await commentsAfter(octokit, place, since)),
    ...(await reviewsAfter(octokit, place, since)),
  ];
  const people = firstOfEach(words.filter(({ by }) => !by.bot).toSorted(byTime));
  for (const word of people.slice(0, maxPeople)) {
    const { role } = await roleOf(octokit, place.where, word.by);
    if (isHeard({ role, bot: false })) return spokenBy(word);
  }
  const [unasked] = people.slice(maxPeople);
  return unasked && spokenBy(unasked);
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

async function commentsAfter(
  octokit: Octokit,
  { where, number, seen }: SpokenPlace,
  since: string,
): Promise<readonly Word[]> {
  // GitHub's own times have whole seconds.
  const from = new Date(wholeSecond(since)).toISOString();
  const wanted = { ...repoParams(where), issue_number: number, since: from, per_page: 100 };
  const found = await firstPages(
    octokit.paginate.iterator(octokit.rest.issues.listComments, wanted),
    maxPages,
  );
  return found
    .filter(({ id, updated_at }) => !seen.has(`comment:${id}@${updated_at}`))
    .map(({ user, updated_at: at }) => ({ by: accountOf(user), at }))
    .filter(({ at }) => !isSurelyBefore(at, since));
}

async function reviewsAfter(
  octokit: Octokit,
  { where, number, seen }: SpokenPlace,
  since: string,
): Promise<readonly Word[]> {
  const wanted = { ...repoParams(where), pull_number: number, per_page: 100 };
  const found = await firstPages(octokit.paginate.iterator(octokit.rest.pulls.listReviews, wanted), maxPages);
  const submitted = found
    .filter(({ id }) => !seen.has(`review:${id}`))
    .map(({ user, submitted_at: at = '' }) => ({ by: accountOf(user), at }));
  const edited = await editsOfReviews(octokit, found);
  return [...submitted, ...edited].filter(({ at }) => at !== '' && !isSurelyBefore(at, since));
}

/** An edit changes no time of a review that GitHub lists, so the histories of their texts are asked for. */
async function editsOfReviews(
  octokit: Octokit,
  reviews: readonly { readonly id: number; readonly node_id: string }[],
): Promise<readonly Word[]> {
  const ids = reviews.map(({ node_id }) => node_id);
  const histories = await editsOf(octokit, ids);
  return reviews.flatMap(({ id, node_id }) => {
    const history = histories.get(node_id);
    // Nobody may go on alone because it is not known whether somebody spoke.
    if (history === undefined || history === null)
      throw new Error(`could not find out who edited review ${id}`);
    // Apps have no id there, and deleted accounts no rights.
    return history.flatMap(({ by, at }) =>
      by === null || by.id === 0 ? [] : [{ by: { ...by, bot: false }, at }],
    );
  });
}
