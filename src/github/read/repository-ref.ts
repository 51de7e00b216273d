import type { Account, Comment, Repository } from '../events/github-event.ts';
import type { Answers, Octokit } from '../octokit/connect.ts';
import { unless } from '../octokit/fault.ts';

/** A repository by its current names. */
export interface RepositoryRef {
  readonly owner: string;
  readonly name: string;
}

/** Octokit wants them under these names. */
export function repoParams({ owner, name }: RepositoryRef): { owner: string; repo: string } {
  return { owner, repo: name };
}

/** From GitHub's answers about a repository. */
export function repositoryOf(
  data: Omit<Repository, 'owner'> & { readonly owner: { readonly login: string } },
): Repository {
  const { id, name, owner, default_branch, clone_url } = data;
  return { id, name, owner: owner.login, default_branch, clone_url, private: data.private };
}

/** Deleted accounts are null; GitHub displays them as `ghost`. */
const ghost: Account = { login: 'ghost', id: 0, bot: false };

export function accountOf(
  data: (Pick<Account, 'login' | 'id'> & { readonly type?: string | undefined }) | null | undefined,
): Account {
  if (data === null || data === undefined) return ghost;
  const { login, id, type } = data;
  return { login, id, bot: type === 'Bot' || login.endsWith('[bot]') };
}

/** A comment as the webhook about it has it. */
export function commentOf(
  data: Answers['issues']['listComments']['response']['data'][number],
  is_own_text: boolean,
): Comment {
  const { id, node_id, body = '', created_at, updated_at, performed_via_github_app: app } = data;
  const via_app = app ? { id: app.id, slug: app.slug ?? '' } : null;
  return { id, node_id, body, former: null, created_at, updated_at, via_app, is_own_text };
}

/** A file of the default branch, in one request instead of a clone; undefined if there is none. */
export async function fileOnDefaultBranch(
  octokit: Octokit,
  where: RepositoryRef,
  path: string,
): Promise<string | undefined> {
  const file = { ...repoParams(where), path, mediaType: { format: 'raw' } };
  const found = await unless(octokit.rest.repos.getContent(file), 404);
  // Octokit's type is of the other media type; the raw one is text, and that of a folder is a list.
  return typeof found?.data === 'string' ? found.data : undefined;
}
