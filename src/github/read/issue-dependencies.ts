import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault, unless } from '../octokit/fault.ts';
import { firstPages } from './pagination.ts';
import { accountOf, type RepositoryRef, repoParams } from './repository-ref.ts';

/** An issue or a pull request that something depends on. */
export type DependencyFacts = NonNullable<Awaited<ReturnType<typeof readDependency>>>;

/** Undefined if there is none with this number, or it was deleted. */
export async function readDependency(octokit: Octokit, where: RepositoryRef, number: number) {
  const answer = await unless(
    octokit.rest.issues.get({ ...repoParams(where), issue_number: number }),
    404,
    410,
  );
  if (answer === undefined) return undefined;
  const { data } = answer;
  return {
    /** `acme/api#12`; GitHub leads on from a transferred issue, and from a repository's old name. */
    name: `${repositoryIn(data)}#${data.number}`,
    is_pull: data.pull_request !== undefined,
    open: data.state === 'open',
    body: data.body ?? '',
    created_at: data.created_at,
    closed_by: data.closed_by?.login,
    /** Closed as not planned or as a duplicate, whatever was merged before; older servers do not say. */
    is_dropped: data.state_reason === 'not_planned' || data.state_reason === 'duplicate',
  };
}

/** The commit with which a pull request was merged; `open` or `closed` if it was not. */
export async function mergeOfPull(
  octokit: Octokit,
  where: RepositoryRef,
  pull_number: number,
): Promise<'open' | 'closed' | { readonly commit: string }> {
  const { data } = await octokit.rest.pulls.get({ ...repoParams(where), pull_number });
  if (data.merged && data.merge_commit_sha !== null) return { commit: data.merge_commit_sha };
  return data.state === 'open' ? 'open' : 'closed';
}

/** Each has a hundred entries. */
const maxPages = 2;

/**
 * What blocks an issue, as GitHub's own dependencies say: `#12`, or `acme/web#12` in another repository.
 * Nothing where an Enterprise Server does not know them yet, which answers as if there were no such issue.
 */
export async function blockersOf(
  octokit: Octokit,
  where: RepositoryRef,
  issue_number: number,
): Promise<readonly string[]> {
  const route = octokit.rest.issues.listDependenciesBlockedBy;
  const wanted = { ...repoParams(where), issue_number, per_page: 100 };
  const pages = octokit.paginate.iterator(route, wanted);
  const found = await firstPages(pages, maxPages).catch(async (fault: unknown) => {
    const isMissing = fault instanceof GitHubFault && (fault.status === 404 || fault.status === 410);
    if (!isMissing || (await readDependency(octokit, where, issue_number)) === undefined) throw fault;
    return [];
  });
  const own = `${where.owner}/${where.name}`.toLowerCase();
  return found.map((issue) => {
    const repository = repositoryIn(issue);
    return `${repository.toLowerCase() === own ? '' : repository}#${issue.number}`;
  });
}

function repositoryIn({ repository_url }: { readonly repository_url: string }): string {
  return repository_url.split('/').slice(-2).join('/');
}

const query = `query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    issue(number: $number) {
      timelineItems(last: 1, itemTypes: [CLOSED_EVENT]) {
        nodes {
          ... on ClosedEvent {
            closer { ... on PullRequest { mergeCommit { oid } } ... on Commit { oid } }
          }
        }
      }
    }
  }
}`;

interface Answer {
  readonly repository: {
    readonly issue: {
      readonly timelineItems: { readonly nodes: readonly (Closing | null)[] | null } | null;
    } | null;
  } | null;
}

interface Closing {
  readonly closer: { readonly mergeCommit?: Commit | null } | Commit | null;
}

interface Commit {
  readonly oid: string;
}

/**
 * The commit that closed an issue, a pull request's or one by itself; undefined if somebody closed it, or if
 * the server does not say.
 */
export async function closingCommit(
  octokit: Octokit,
  where: RepositoryRef,
  number: number,
): Promise<string | undefined> {
  const answer = await octokit.graphql<Answer | null>(query, { ...repoParams(where), number });
  const closer = answer?.repository?.issue?.timelineItems?.nodes?.[0]?.closer;
  return closer && 'oid' in closer ? closer.oid : closer?.mergeCommit?.oid;
}

export type MergedPull = Awaited<ReturnType<typeof mergedSince>>[number];

/** Merged pull requests that have changed since a time (ISO 8601), those that did last first. */
export async function mergedSince(octokit: Octokit, where: RepositoryRef, since: string) {
  const newestFirst = { state: 'closed', sort: 'updated', direction: 'desc', per_page: 100 } as const;
  const wanted = { ...repoParams(where), ...newestFirst };
  const pages = octokit.paginate.iterator(octokit.rest.pulls.list, wanted);
  return (await firstPages(pages, maxPages)).flatMap(
    ({ number, body, user, merged_at, merge_commit_sha: commit, updated_at }) => {
      if (!merged_at || commit === null || Date.parse(updated_at) < Date.parse(since)) return [];
      return [{ number, body: body ?? '', author: accountOf(user), commit }];
    },
  );
}

const keyword = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+([\w.-]+\/[\w.-]+)?#(\d{1,9})\b/gi;

/** Whether the text of a pull request says, in GitHub's own words for it, that its merge closes an issue. */
export function saysThatItCloses(text: string, { owner, name }: RepositoryRef, issue: number): boolean {
  return [...text.matchAll(keyword)].some(
    ([, place = `${owner}/${name}`, number]) =>
      Number(number) === issue && place.toLowerCase() === `${owner}/${name}`.toLowerCase(),
  );
}
