import { LRUCache } from 'lru-cache';
import type { Repository as GitHubRepository } from '../github/events/github-event.ts';
import { unless } from '../github/octokit/fault.ts';
import { repoParams } from '../github/read/repository-ref.ts';
import type { Repository } from '../repository/repository.ts';
import type { Installations } from './installations.ts';

/** How long it counts where the App is installed, in milliseconds. */
const ttl = 60_000;

/**
 * Finds out whether the App is installed on a repository. Anyone may ask about any public one, so GitHub is
 * asked only about those of accounts with an installation.
 */
export function installedWith(
  installations: Installations,
): (found: GitHubRepository) => Promise<Repository | undefined> {
  const accounts = new LRUCache<'all', ReadonlySet<string>>({
    ...{ max: 1, ttl },
    fetchMethod: async () => new Set((await installations.all()).map(({ account }) => account.toLowerCase())),
  });
  const homes = new LRUCache<number, { readonly id: number | undefined }, GitHubRepository>({
    ...{ max: 5000, ttl },
    fetchMethod: async (_id, _stale, { context: found }) => {
      const { owner, repo } = repoParams(found);
      const asked = installations.app.rest.apps.getRepoInstallation({ owner, repo });
      return { id: (await unless(asked, 404))?.data.id };
    },
  });
  return async (found) => {
    const known = installations.homeOf(found.id)?.installation;
    if (known !== undefined) return installations.repository(found, known);
    if (!(await accounts.forceFetch('all')).has(found.owner.toLowerCase())) return undefined;
    const { id } = await homes.forceFetch(found.id, { context: found });
    return id === undefined ? undefined : installations.repository(found, id);
  };
}
