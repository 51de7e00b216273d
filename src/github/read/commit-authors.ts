import { type Account, type Contributors, isSame } from '../../steering/shapes/people.ts';
import type { Answers, Octokit } from '../octokit/connect.ts';
import { type RepositoryRef, repoParams } from './repository-ref.ts';

/** GitHub lists no more commits of a pull request than these. */
const maxCommits = 250;

/**
 * The accounts that wrote or committed the commits of a pull request, or are named in them as co-authors.
 * An address that belongs to no known account names nobody.
 */
export async function commitAuthors(
  octokit: Octokit,
  where: RepositoryRef,
  pull_number: number,
): Promise<Contributors> {
  const wanted = { ...repoParams(where), pull_number, per_page: 100 };
  const commits = await octokit.paginate(octokit.rest.pulls.listCommits, wanted);
  const named = commits.flatMap(({ author, committer }) => [author, committer]).filter(isAccount);
  const addressed = new Map(commits.flatMap(addressesIn));
  const coAuthors = commits.flatMap(({ commit }) => coAuthorsIn(commit.message));
  const known = coAuthors.flatMap((email) => accountBehind(email) ?? addressed.get(email) ?? []);
  const people = [...named, ...known].map(({ login, id }) => ({ login, id }));
  const different = people.filter((one, index) => people.findIndex((each) => isSame(each, one)) === index);
  return { people: different, complete: commits.length < maxCommits };
}

type ListedCommit = Answers['pulls']['listCommits']['response']['data'][number];

/** The account with the author's address is empty or null if there is none. */
function isAccount<A extends object>(account: A | null): account is A & Account {
  return account !== null && 'login' in account && 'id' in account;
}

/** The addresses of a commit whose accounts GitHub names. */
function addressesIn({ commit, author, committer }: ListedCommit): readonly (readonly [string, Account])[] {
  const pairs = [
    [commit.author?.email, author],
    [commit.committer?.email, committer],
  ] as const;
  return pairs.flatMap(([email, account]) =>
    email !== undefined && isAccount(account) ? [[email.toLowerCase(), account] as const] : [],
  );
}

const coAuthor = /^co-authored-by:[^<\n]*<([^<>\n]{1,320})>[ \t]*$/gim;

function coAuthorsIn(message: string): readonly string[] {
  return [...message.matchAll(coAuthor)].map(([, email = '']) => email.trim().toLowerCase());
}

/** Finds the account in an address that GitHub assigns, such as `1234+ada@users.noreply.github.com`. */
function accountBehind(email: string): Account | undefined {
  const [, id = '0', login] = /^(?:(\d{1,15})\+)?([a-z\d][a-z\d_-]*)@users\.noreply\./.exec(email) ?? [];
  return login === undefined ? undefined : { login, id: Number(id) };
}
