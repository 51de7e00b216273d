import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { connect } from '../github/octokit/connect.ts';
import type { Reach } from '../page/forms/offers.ts';
import type { Guide } from '../page/guide.ts';
import { createPage } from '../page/page.ts';
import type { Coxswain } from './coxswain.ts';
import type { AppEnvironment } from './environment/environment.ts';
import { listRepositories } from './repositories.ts';

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
