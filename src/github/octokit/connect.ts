import { createAppAuth } from '@octokit/auth-app';
import { retry } from '@octokit/plugin-retry';
import { Octokit } from '@octokit/rest';
import { type Clock, wallClock } from './clock.ts';
import { explainFaults } from './explain.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';
import { installRequestHooks, type Watched } from './request-hooks.ts';

export type { Octokit } from '@octokit/rest';

/** A client that keeps GitHub's pace, ends in time, retries what is safe to, and explains its faults. */
export function connect(options: ConnectOptions): Connection {
  const { clock = wallClock, timeoutMs = 15_000, pace = createRateLimiter({ clock }) } = options;
  // The order matters: traffic goes round each attempt, the retries go round that.
  const Client = Octokit.plugin((hooked) => installRequestHooks(hooked, { pace, clock, timeoutMs }), retry);
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
  /** Shared by all clients of one installation; without it the client keeps a pace of its own. */
  readonly pace?: RateLimiter;
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  /** What the retry's seconds are made of; tests make it 0. */
  readonly retryUnitMs?: number;
};

export type Credentials = { readonly token: string } | { readonly auth: AppCredentials };

export interface AppCredentials {
  readonly appId: number | string;
  /** PEM. */
  readonly privateKey: string;
  /** Without it the client speaks as the App itself, which can do little but list its deliveries. */
  readonly installationId?: number;
}

export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** The plugin decides nothing by itself: `installRequestHooks` tells it what to retry, and how often. */
const everyFailure = Array.from({ length: 200 }, (_, index) => 400 + index);

const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Octokit logs each request, and each refusal as an error; whoever asked tells what was one. */
function inDetail(log: Log): Log {
  const debug = (message: string) => log.debug(message);
  return { debug, info: debug, warn: debug, error: debug };
}

function credentials(given: Credentials) {
  return 'token' in given ? { auth: given.token } : { authStrategy: createAppAuth, auth: { ...given.auth } };
}
