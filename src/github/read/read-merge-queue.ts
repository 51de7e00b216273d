import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository-ref.ts';

/** What GitHub says of a pull request and the merge queue of its base. */
export interface QueuePlace {
  /** Whether its base has a queue, by a ruleset or by its protection. */
  readonly exists: boolean;
  /** Whether the pull request is in it. */
  readonly queued: boolean;
  /** Whether the pull request was open at the same moment. */
  readonly open: boolean;
}

type OfPull<T> = { readonly repository: { readonly pullRequest: T } };

interface Place {
  readonly isMergeQueueEnabled: boolean;
  readonly isInMergeQueue: boolean;
  readonly state: string;
}

/** Where a pull request stands; older Enterprise Servers have no merge queues, and do not know the fields. */
export async function readQueuePlace(
  octokit: Octokit,
  where: RepositoryRef,
  number: number,
): Promise<QueuePlace> {
  const wanted = { ...queryParams(where), number };
  const answer = await unlessUnknown(octokit.graphql<OfPull<Place>>(placeQuery, wanted));
  const {
    isMergeQueueEnabled: exists = false,
    isInMergeQueue: queued = false,
    state = 'OPEN',
  } = answer?.repository.pullRequest ?? {};
  return { exists, queued, open: state === 'OPEN' };
}

/** How a pull request left the merge queue the last time, in GitHub's words. */
export interface Removal {
  readonly reason: string;
  /** The login of the person who saw to it; undefined if nobody did, or it is not known. */
  readonly by: string | undefined;
  /** ISO 8601. */
  readonly at: string;
}

interface Timeline {
  readonly timelineItems: {
    readonly nodes: readonly {
      readonly createdAt: string;
      readonly reason: string | null;
      readonly actor: { readonly __typename: string; readonly login: string } | null;
    }[];
  };
}

/** Undefined if it has never left one. */
export async function lastRemoval(
  octokit: Octokit,
  where: RepositoryRef,
  number: number,
): Promise<Removal | undefined> {
  const wanted = { ...queryParams(where), number };
  const { repository } = await octokit.graphql<OfPull<Timeline>>(removalQuery, wanted);
  const [last] = repository.pullRequest.timelineItems.nodes;
  if (last === undefined) return undefined;
  const { reason, actor, createdAt: at } = last;
  return { reason: reason ?? '', by: actor?.__typename === 'User' ? actor.login : undefined, at };
}

/** A pull request in a merge queue. */
export interface QueueEntry {
  readonly number: number;
  /** The head of the pull request that was queued. */
  readonly head: string;
  /** The commit that would be merged: it with all before it, on the base; null if there is none yet. */
  readonly group: string | null;
}

interface EntriesAnswer {
  readonly repository: { readonly mergeQueue: { readonly entries: Entries } | null };
}

interface Entries {
  readonly nodes: readonly {
    readonly position: number;
    readonly headCommit: { readonly oid: string } | null;
    readonly pullRequest: { readonly number: number; readonly headRefOid: string } | null;
  }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** The merge queue of a branch, in its order; empty where there is none. */
export async function readQueue(
  octokit: Octokit,
  where: RepositoryRef,
  branch: string,
): Promise<readonly QueueEntry[]> {
  const nodes: Entries['nodes'][number][] = [];
  for await (const page of pagesOf(octokit, where, branch)) nodes.push(...page.nodes);
  return nodes
    .toSorted((one, other) => one.position - other.position)
    .flatMap(({ headCommit, pullRequest }) => {
      if (pullRequest === null) return [];
      const { number, headRefOid: head } = pullRequest;
      return [{ number, head, group: headCommit?.oid ?? null }];
    });
}

async function* pagesOf(octokit: Octokit, where: RepositoryRef, branch: string): AsyncGenerator<Entries> {
  let after: string | null = null;
  do {
    const wanted: object = { ...queryParams(where), branch, after };
    const answer = await unlessUnknown(octokit.graphql<EntriesAnswer>(entriesQuery, { ...wanted }));
    const entries = answer?.repository.mergeQueue?.entries;
    if (entries === undefined) return;
    yield entries;
    after = entries.pageInfo.hasNextPage ? entries.pageInfo.endCursor : null;
  } while (after !== null);
}

/** The last entry whose merge group has this head, and all before it; undefined if it is not in the queue. */
export function membersOf(queue: readonly QueueEntry[], head: string): readonly QueueEntry[] | undefined {
  const index = queue.findLastIndex(({ group }) => group === head);
  return index < 0 ? undefined : queue.slice(0, index + 1);
}

function queryParams(where: RepositoryRef) {
  const { owner, repo: name } = repoParams(where);
  return { owner, name };
}

async function unlessUnknown<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (fault) {
    if (fault instanceof GitHubFault && /doesn't exist on type/i.test(fault.reason)) return undefined;
    throw fault;
  }
}

const placeQuery = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) { isMergeQueueEnabled isInMergeQueue state }
  }
}`;

const removalQuery = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      timelineItems(last: 1, itemTypes: [REMOVED_FROM_MERGE_QUEUE_EVENT]) {
        nodes { ... on RemovedFromMergeQueueEvent { createdAt reason actor { __typename login } } }
      }
    }
  }
}`;

const entriesQuery = `query ($owner: String!, $name: String!, $branch: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    mergeQueue(branch: $branch) {
      entries(first: 100, after: $after) {
        nodes { position headCommit { oid } pullRequest { number headRefOid } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`;
