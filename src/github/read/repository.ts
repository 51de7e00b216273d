import type { Account, Repository } from '../events/github-event.ts';

/** A repository by its current names. */
export interface RepositoryRef {
  readonly owner: string;
  readonly name: string;
}

/** The same as Octokit's parameters. */
export function repoParams({ owner, name }: RepositoryRef): { owner: string; repo: string } {
  return { owner, repo: name };
}

/** What we need from GitHub's answers about a repository. */
export interface RepositoryData {
  readonly id: number;
  readonly name: string;
  readonly owner: { readonly login: string };
  readonly default_branch: string;
  readonly clone_url: string;
  readonly private: boolean;
}

export function repositoryOf(data: RepositoryData): Repository {
  const { id, name, owner, default_branch, clone_url } = data;
  return { id, name, owner: owner.login, default_branch, clone_url, private: data.private };
}

/** Deleted accounts are null; GitHub displays them as `ghost`. */
const ghost: Account = { login: 'ghost', id: 0, bot: false };

export function accountOf(data: AccountData | null | undefined): Account {
  if (data === null || data === undefined) return ghost;
  const { login, id, type } = data;
  return { login, id, bot: type === 'Bot' || login.endsWith('[bot]') };
}

interface AccountData {
  readonly login: string;
  readonly id: number;
  readonly type?: string | undefined;
}
