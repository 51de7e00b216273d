import { LRUCache } from 'lru-cache';
import { createApi } from '../api/api.ts';
import type { Repository as GitHubRepository } from '../github/events/github-event.ts';
import type { Log } from '../github/octokit/connect.ts';
import { unless } from '../github/octokit/fault.ts';
import { repoParams } from '../github/read/repository-ref.ts';
import type { Repository } from '../runs/repository/repository.ts';
import type { Coxswain } from './coxswain.ts';
import type { AppEnvironment } from './environment/environment.ts';
import type { Installations } from './installations.ts';

export type MountedApi = ReturnType<typeof mountApi>;

/**
 * The API acts only with the tokens that its callers present. The App's own clients read what GitHub shows of
 * a run to whoever may read its repository: the ledger and the diff.
 */
export function mountApi({ apiUrl, pageUrl }: AppEnvironment, coxswain: Coxswain, log: Log) {
  const { liveRuns, index, sweeper, progress } = coxswain;
  let url = pageUrl ?? '';
  const { handle, close } = createApi({
    ...{ apiUrl, liveRuns, index, progress, log },
    installed: installedWith(coxswain.installations),
    lookedAt: () => sweeper.lookedAt,
    origin: () => url,
  });
  return {
    handle,
    close,
    /** Tells the API its address. */
    at: (listening: string) => {
      url = pageUrl ?? listening;
    },
  };
}

/** How long it counts where the App is installed, in milliseconds. */
const ttl = 60_000;

/**
 * Finds out whether the App is installed on a repository. Anyone may ask about any public one, so GitHub is
 * asked only about those of accounts with an installation.
 */
function installedWith(
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
