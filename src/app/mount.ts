import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { createApi } from '../api/api.ts';
import type { Repository as GitHubRepository } from '../github/events/github-event.ts';
import { connect, type Log } from '../github/octokit/connect.ts';
import { unless } from '../github/octokit/fault.ts';
import { repoParams } from '../github/read/repository-ref.ts';
import type { Reach } from '../page/forms/offers.ts';
import type { Guide } from '../page/guide.ts';
import { createPage } from '../page/page.ts';
import type { Repository } from '../repository/repository.ts';
import type { Coxswain } from './coxswain.ts';
import type { AppEnvironment } from './environment/environment.ts';
import type { Installations } from './installations.ts';
import { listRepositories } from './known-repositories.ts';

export interface MountedPage {
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Whether a request, also one to another port of this host, comes from someone who is signed in. */
  admits(headers: IncomingHttpHeaders): boolean;
  /** Ends what it is still telling people. */
  close(): void;
  /** Tells the page its address. */
  at(url: string): void;
  /** The address for a person, including the key. */
  address(): string;
}

/**
 * The page acts as the person whose token the operator gave; without a token there is none. The App's own
 * clients read the list of repositories and, once the person has read the pull request of a run, its ledger
 * and its diff.
 */
export async function mountPage(
  { pageToken, pageUrl, apiUrl, host }: AppEnvironment,
  { installations, liveRuns, progress }: Pick<Coxswain, 'installations' | 'liveRuns' | 'progress'>,
  guide?: Guide,
): Promise<MountedPage | undefined> {
  if (pageToken === null) return undefined;
  let url = pageUrl ?? '';
  const key = randomBytes(18).toString('base64url');
  const person = connect({ token: pageToken, baseUrl: apiUrl });
  const repositories = () => listRepositories(installations);
  const reach = pageReach({ host, pageUrl });
  const origin = () => url;
  const page = createPage({ person, repositories, liveRuns, progress, key, origin, reach, guide });
  return {
    handle: (request, response) => page.handle(request, response),
    admits: (headers) => page.admits(headers),
    close: () => page.close(),
    at: (listening) => {
      url = pageUrl ?? listening;
    },
    address: () => `${url}/?key=${key}`,
  };
}

/** Who can reach the page: only who is at this machine, if it listens there and nothing else leads to it. */
export function pageReach({ host, pageUrl }: Pick<AppEnvironment, 'host' | 'pageUrl'>): Reach {
  const hosts = pageUrl === null ? [host] : [host, new URL(pageUrl).hostname];
  return hosts.every(isLoopback) ? 'this_machine' : 'network';
}

function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(name) === 4) return name.startsWith('127.');
  return name === '::1' || name === 'localhost' || name.endsWith('.localhost');
}

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
