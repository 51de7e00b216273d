import { setupBranch } from '../../words/setup-texts.ts';
import type { Answers, Octokit } from '../octokit/connect.ts';
import { firstPages, newestEvents } from './pagination.ts';
import { accountOf, type RepositoryRef, repoParams } from './repository-ref.ts';

/** A pull request as it is now. */
export type PullFacts = Readonly<ReturnType<typeof factsOf>>;

export async function readPull(octokit: Octokit, where: RepositoryRef, number: number): Promise<PullFacts> {
  const { data } = await octokit.rest.pulls.get({ ...repoParams(where), pull_number: number });
  return factsOf(data);
}

/** A pull request by whoever opened it, as its webhook has it. */
export async function readOpenedPull(octokit: Octokit, where: RepositoryRef, number: number) {
  const { data } = await octokit.rest.pulls.get({ ...repoParams(where), pull_number: number });
  const { user, head, base, commits } = data;
  const { login = 'ghost', id = 0, type } = user ?? {};
  return { opener: { login, id, bot: type === 'Bot' }, head_sha: head.sha, base_ref: base.ref, commits };
}

/** The pull request of a branch of this repository: the open one, else the newest. */
export async function findPullByHead(
  octokit: Octokit,
  where: RepositoryRef,
  branch: string,
): Promise<PullFacts | undefined> {
  const pulls = await pullsOf(octokit, where, branch);
  return pulls.find(({ open }) => open) ?? pulls[0];
}

/** Reads the pull requests that propose a configuration, whoever opened them, the newest first. */
export function readSetupPulls(octokit: Octokit, where: RepositoryRef): Promise<readonly PullFacts[]> {
  return pullsOf(octokit, where, setupBranch);
}

/** Reads those of a branch of this repository, the newest first. */
async function pullsOf(
  octokit: Octokit,
  where: RepositoryRef,
  branch: string,
): Promise<readonly PullFacts[]> {
  const head = `${where.owner}:${branch}`;
  const { data } = await octokit.rest.pulls.list({ ...repoParams(where), head, state: 'all', per_page: 100 });
  return data
    .map(factsOf)
    .filter(({ head_ref, from_fork }) => head_ref === branch && !from_fork)
    .toSorted((one, other) => other.number - one.number);
}

/** Each has a hundred pull requests. */
const maxClosedPages = 5;

/**
 * A closed pull request of this repository that changed since a time (ISO 8601) and is wanted. It may have
 * been closed before, and its branch may be gone.
 */
export async function findClosedPull(
  octokit: Octokit,
  where: RepositoryRef,
  { since, isWanted }: { readonly since: string; readonly isWanted: (pull: PullFacts) => boolean },
): Promise<PullFacts | undefined> {
  const newestFirst = { state: 'closed', sort: 'updated', direction: 'desc', per_page: 100 } as const;
  const wanted = { ...repoParams(where), ...newestFirst };
  let pages = 0;
  for await (const { data } of octokit.paginate.iterator(octokit.rest.pulls.list, wanted)) {
    const recent = data.map(factsOf).filter(({ updated_at }) => Date.parse(updated_at) >= Date.parse(since));
    const found = recent.find((pull) => !pull.from_fork && isWanted(pull));
    pages += 1;
    if (found !== undefined || recent.length < data.length || pages === maxClosedPages) return found;
  }
  return undefined;
}

/** The open pull requests of this repository whose head is this commit, whatever their branches. */
export async function openPullsAt(
  octokit: Octokit,
  where: RepositoryRef,
  commit_sha: string,
): Promise<readonly number[]> {
  const route = octokit.rest.repos.listPullRequestsAssociatedWithCommit;
  const pulls = await octokit.paginate(route, { ...repoParams(where), commit_sha, per_page: 100 });
  return pulls
    .filter(({ state, head }) => state === 'open' && head.sha === commit_sha)
    .map(({ number }) => number);
}

type Pulls = Answers['pulls'];

/** The facts of a pull request of a list, or of one alone. */
export function factsOf(data: Pulls['list']['response']['data'][number] | Pulls['get']['response']['data']) {
  const { number, node_id, title, head, base, created_at, updated_at, closed_at } = data;
  const labels: readonly string[] = data.labels.map(({ name }) => name);
  return {
    number,
    node_id,
    url: data.html_url,
    title,
    body: data.body ?? '',
    author: data.user?.login ?? 'ghost',
    draft: data.draft ?? false,
    open: data.state === 'open',
    merged: data.merged_at !== null,
    head_ref: head.ref,
    head_sha: head.sha,
    base_ref: base.ref,
    /** It is the default branch of its repository at this moment. */
    default_branch: base.repo.default_branch,
    /** The head is in another repository, or in one that no longer exists. */
    from_fork: head.repo === null || head.repo.id !== base.repo.id,
    labels,
    /** Who enabled auto-merge, if anybody did. */
    auto_merge: data.auto_merge ? { by: data.auto_merge.enabled_by?.login ?? 'ghost' } : null,
    /** `clean`, `blocked`, … as GitHub calls it; null if it has not been computed, and in lists. */
    mergeable_state: 'mergeable_state' in data ? data.mergeable_state : null,
    created_at,
    updated_at,
    closed_at,
  };
}

/** What is asked of an open pull request. */
export type OpenPull = Pick<PullFacts, 'number' | 'updated_at' | 'author' | 'labels' | 'head_ref'>;

/** A limit for one sweep: the newest 1,000 pull requests. */
const maxPages = 10;

/** The open pull requests of a repository, newest first. */
export async function openPulls(octokit: Octokit, where: RepositoryRef): Promise<readonly OpenPull[]> {
  const wanted = { ...repoParams(where), state: 'open', per_page: 100 } as const;
  const pages = octokit.paginate.iterator(octokit.rest.pulls.list, wanted);
  return (await firstPages(pages, maxPages)).map(factsOf);
}

/** These are the newest 5,000 events. */
const maxEventPages = 50;

/**
 * The last reopening of a pull request that nobody has closed since; undefined if there is none. Its events
 * say so, because right after it was closed GitHub may still show it as open.
 */
export function lastReopening(...pull: PullOnGitHub) {
  return lastTurn('reopened', pull);
}

/** The last closing of a pull request that nobody has reopened since; whoever merged it has closed it. */
export function lastClosing(...pull: PullOnGitHub) {
  return lastTurn('closed', pull);
}

/** The id of GitHub's event for it: later ones have greater ids, also on other issues. */
export async function lastClosingId(...pull: PullOnGitHub): Promise<number | undefined> {
  return (await lastEvent('closed', pull))?.id;
}

type PullOnGitHub = readonly [octokit: Octokit, where: RepositoryRef, number: number];

/** Who closed or reopened a pull request, and when (ISO 8601). */
async function lastTurn(wanted: 'closed' | 'reopened', pull: PullOnGitHub) {
  const last = await lastEvent(wanted, pull);
  return last && { at: last.created_at, by: accountOf(last.actor).login };
}

async function lastEvent(wanted: 'closed' | 'reopened', pull: PullOnGitHub) {
  const events = await newestEvents(...pull, maxEventPages);
  const last = events.findLast(({ event }) => event === 'closed' || event === 'reopened');
  return last?.event === wanted ? last : undefined;
}
