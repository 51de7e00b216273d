import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createApi } from '../api/api.ts';
import { Identity } from '../doors/callers/identity.ts';
import type { Log } from '../github/octokit/connect.ts';
import type { Guide } from '../page/guide.ts';
import { createPage } from '../page/page.ts';
import type { Entrance } from '../page/sign-in/entrance.ts';
import { GitHubEntrance } from '../page/sign-in/github-entrance.ts';
import { keyEntrance } from '../page/sign-in/key-entrance.ts';
import { OAuthFlow } from '../page/sign-in/oauth.ts';
import { openSecretBox } from '../seal/secret-box.ts';
import type { Coxswain } from './coxswain.ts';
import type { AppEnvironment } from './environment/environment.ts';
import { installedWith } from './installed-with.ts';
import { membershipsWith } from './memberships.ts';

/** The doors of the App beside GitHub: its page, if people can get into one, and its API. */
export interface Doors {
  /** The page's address for a person; null if there is no page. */
  readonly pageUrl: string | null;
  /** Whether that address contains a key, and is not for a log. */
  readonly hasKey: boolean;
  /** Tells the doors where the server listens, before anybody comes. */
  at(listening: string): void;
  /** Whether these are the headers of somebody who is signed in to the page. */
  admits(headers: IncomingHttpHeaders): boolean;
  /** Handles a request to one of them; false if it is for neither. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Ends what is still being told to listeners. */
  close(): Promise<void>;
}

interface DoorsOptions {
  readonly coxswain: Coxswain;
  readonly log: Log;
  /** Says what to try next, in a demonstration. */
  readonly guide?: Guide | undefined;
}

/**
 * Both act only as the people who come in, with their own tokens. The App's own clients read what GitHub
 * shows of a run to whoever may read its repository: the ledger and the diff.
 */
export function mountDoors(environment: AppEnvironment, { coxswain, log, guide }: DoorsOptions): Doors {
  const { installations, liveRuns, index, sweeper, progress } = coxswain;
  let url = environment.pageUrl ?? '';
  const origin = () => url;
  const identity = new Identity(environment.apiUrl);
  const installed = installedWith(installations);
  const lookedAt = () => sweeper.lookedAt;
  const shared = { identity, installed, liveRuns, index, lookedAt, progress, origin };
  const api = createApi({ ...shared, log });
  const key = randomBytes(18).toString('base64url');
  const entrance = entranceOf(environment, { key, origin, identity, log });
  if (entrance instanceof GitHubEntrance) coxswain.receiver.onRevoked(({ id }) => entrance.revoke(id));
  const memberships = membershipsWith(installations);
  const page = entrance && createPage({ ...shared, entrance, memberships, guide });
  const hasKey = environment.pageToken !== null;
  return {
    get pageUrl() {
      return page === undefined ? null : `${url}/${hasKey ? `?key=${key}` : ''}`;
    },
    hasKey,
    at: (listening) => {
      url = environment.pageUrl ?? listening;
    },
    admits: (headers) => page?.admits(headers) ?? false,
    handle: async (request, response) =>
      (await api.handle(request, response)) || ((await page?.handle(request, response)) ?? false),
    close: async () => {
      page?.close();
      await api.close();
    },
  };
}

/** How people get in; without settings for that there is no page. */
function entranceOf(
  { signIn, pageToken, apiUrl }: AppEnvironment,
  { key, origin, identity, log }: EntranceParts,
): Entrance | undefined {
  if (pageToken !== null) return keyEntrance({ key, token: pageToken, origin });
  if (signIn === null) return undefined;
  return new GitHubEntrance({
    flow: new OAuthFlow({ ...signIn, apiUrl }),
    box: openSecretBox(signIn.keys),
    identify: async (token) => {
      const caller = await identity.callerOf(token);
      // It is wanted by the page to which they are led; a fault is thrown there.
      identity.lists.of(caller).catch(() => undefined);
      return caller;
    },
    now: Date.now,
    origin,
    log,
  });
}

interface EntranceParts {
  readonly key: string;
  readonly origin: () => string;
  readonly identity: Identity;
  readonly log: Log;
}
