import { createAppAuth } from '@octokit/auth-app';
import { retry } from '@octokit/plugin-retry';
import { Octokit } from '@octokit/rest';
import { type RateLimiterClock, wallClock } from './clock.ts';
import { explainFaults } from './explain.ts';
import { renewInstallationToken } from './installation-token.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';
import { installRequestHooks, type Watched } from './request-hooks.ts';

export type { Octokit } from '@octokit/rest';

/** An API client with rate limiting, timeouts, retries where they are safe, and readable errors. */
export function connect(options: ConnectOptions): Connection {
  const { clock = wallClock, timeoutMs = 15_000, pace = createRateLimiter({ clock }) } = options;
  // The order matters: our hooks wrap each single attempt, and the retry plugin wraps them.
  const renews = 'auth' in options && options.auth.installationId !== undefined;
  const Client = Octokit.plugin((hooked) => {
    const renewToken = renews ? () => renewInstallationToken(hooked) : undefined;
    return installRequestHooks(hooked, { pace, clock, timeoutMs, renewToken });
  }, retry);
  const octokit = new Client({
    ...credentials(options),
    baseUrl: options.baseUrl,
    userAgent: 'coxswain',
    log: options.log === undefined ? silent : inDetail(options.log),
    retry: { doNotRetry: everyFailure, retryAfterBaseValue: options.retryUnitMs ?? 1000 },
  });
  explainFaults(octokit);
  return octokit;
}

export type Connection = Octokit & Watched;

export type ConnectOptions = Credentials & {
  /** `https://api.github.com`, or `https://<host>/api/v3` of an Enterprise Server. */
  readonly baseUrl: string;
  readonly log?: Log;
  /** Shared by all clients of one installation; without it the client has a rate limiter of its own. */
  readonly pace?: RateLimiter;
  readonly timeoutMs?: number;
  readonly clock?: RateLimiterClock;
  /** The length of a second between retries; tests set it to 0. */
  readonly retryUnitMs?: number;
};

export type Credentials = { readonly token: string } | { readonly auth: AppCredentials };

export interface AppCredentials {
  readonly appId: number | string;
  /** PEM. */
  readonly privateKey: string;
  /** Without it the client acts as the App itself, which can do little but list its deliveries. */
  readonly installationId?: number;
}

export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** The plugin retries nothing on its own: `installRequestHooks` decides what to retry, and how often. */
const everyFailure = Array.from({ length: 200 }, (_, index) => 400 + index);

const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Octokit logs every refusal as an error, but only the caller knows whether it is one. */
function inDetail(log: Log): Log {
  const debug = (message: string) => log.debug(message);
  return { debug, info: debug, warn: debug, error: debug };
}

function credentials(given: Credentials) {
  return 'token' in given ? { auth: given.token } : { authStrategy: createAppAuth, auth: { ...given.auth } };
}
