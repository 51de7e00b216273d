import { somebody } from '../../steering/person.ts';
import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import type { RepositoryRef } from './repository.ts';

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
    const changes = await baseChanges(octokit, where, number);
    const found = changes.findLast(({ currentRefName, newBase }) => (currentRefName ?? newBase) === base);
    return found && { at: found.createdAt, by: found.actor?.login ?? somebody };
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.retriable) throw fault;
    octokit.log.warn(`could not find out who changed the base of #${number}: ${fault.message}`);
    return undefined;
  }
}

/** When the base of a pull request was last changed, to whatever branch, ISO 8601; null if it never was. */
export async function baseChangedAt(
  octokit: Octokit,
  where: RepositoryRef,
  number: number,
): Promise<string | null> {
  return (await baseChanges(octokit, where, number)).at(-1)?.createdAt ?? null;
}

async function baseChanges(
  octokit: Octokit,
  { owner, name }: RepositoryRef,
  number: number,
): Promise<readonly Change[]> {
  const { repository } = await octokit.graphql<Timeline>(query, { owner, name, number });
  const nodes = repository?.pullRequest?.timelineItems.nodes ?? [];
  return nodes.flatMap((node) => node ?? []);
}

/** The base of a pull request also changes when its branch is renamed, or deleted after a merge. */
const query = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      timelineItems(last: 10, itemTypes: [BASE_REF_CHANGED_EVENT, AUTOMATIC_BASE_CHANGE_SUCCEEDED_EVENT]) {
        nodes {
          ... on BaseRefChangedEvent { createdAt currentRefName actor { login } }
          ... on AutomaticBaseChangeSucceededEvent { createdAt newBase actor { login } }
        }
      }
    }
  }
}`;

interface Timeline {
  readonly repository: {
    readonly pullRequest: { readonly timelineItems: { readonly nodes: readonly (Change | null)[] } } | null;
  } | null;
}

interface Change {
  readonly createdAt: string;
  readonly currentRefName?: string;
  readonly newBase?: string;
  readonly actor: { readonly login: string } | null;
}
