import type { Context } from '../context.ts';
import type { Json } from '../json.ts';
import type { CommitStatus, Repository } from '../model.ts';
import { accountById } from './accounts.ts';
import { apiLink, nodeId } from './links.ts';
import { repositoryPayload } from './repositories.ts';

/** A status as in the combined status of a commit. */
export function simpleStatusPayload(context: Context, repository: Repository, status: CommitStatus): Json {
  const { id, state, description, target_url, created_at } = status;
  return {
    url: apiLink(context, repository, `/statuses/${status.sha}`),
    avatar_url: `${context.url}/avatars/u/${status.creator_id}`,
    id,
    node_id: nodeId('StatusContext', id),
    state,
    description,
    target_url,
    context: status.context,
    created_at,
    updated_at: created_at,
  };
}

export function statusPayload(context: Context, repository: Repository, status: CommitStatus): Json {
  return {
    ...simpleStatusPayload(context, repository, status),
    creator: accountById(context, status.creator_id),
  };
}

/** The newest status of each context, and what they say together. */
export function combinedStatusPayload(
  context: Context,
  repository: Repository,
  { sha, latest }: { sha: string; latest: CommitStatus[] },
): Json {
  return {
    state: combined(latest),
    statuses: latest.map((status) => simpleStatusPayload(context, repository, status)),
    sha,
    total_count: latest.length,
    repository: repositoryPayload(context, repository),
    commit_url: apiLink(context, repository, `/commits/${sha}`),
    url: apiLink(context, repository, `/commits/${sha}/status`),
  };
}

function combined(statuses: CommitStatus[]): string {
  if (statuses.some(({ state }) => state === 'failure' || state === 'error')) return 'failure';
  return statuses.length > 0 && statuses.every(({ state }) => state === 'success') ? 'success' : 'pending';
}
