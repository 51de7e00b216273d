import type { Repository } from '../events/github-event.ts';

/** What GitHub's answers about a repository have in common, as far as we need it. */
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
