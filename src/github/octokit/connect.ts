import { Octokit } from '@octokit/rest';
import { createRateLimiter, type RateLimiter, type RateLimiterClock, wallClock } from './rate-limiter.ts';
import { explainFaults, installRepeats, installRequestHooks, type Watched } from './request-hooks.ts';

export type { Octokit, RestEndpointMethodTypes as Answers } from '@octokit/rest';

/** An API client with rate limiting, timeouts, retries where they are safe, and readable errors. */
export function connect(options: ConnectOptions): Connection {
  const { clock = wallClock, timeoutMs = 15_000, pace = createRateLimiter({ clock }) } = options;
  // The order matters: the first hooks wrap each single attempt, and what repeats requests wraps them.
  const renews = 'signIn' in options && options.signIn.renews;
  const Client = Octokit.plugin((hooked) => {
    const renewToken = renews ? () => renewInstallationToken(hooked) : undefined;
    return installRequestHooks(hooked, { pace, clock, timeoutMs, renewToken });
  });
  const octokit = new Client({
    ...credentials(options),
    baseUrl: options.baseUrl,
    userAgent: 'coxswain',
    log: options.log === undefined ? silent : inDetail(options.log),
  });
  installRepeats(octokit, options.retryUnitMs ?? 1000);
  explainFaults(octokit);
  return octokit;
}

export type Connection = Octokit & Watched;

export type ConnectOptions = ConnectionSettings & Credentials;

export interface ConnectionSettings {
  /** `https://api.github.com`, or `https://<host>/api/v3` of an Enterprise Server. */
  readonly baseUrl: string;
  readonly log?: Log;
  /** Shared by all clients of one installation; without it the client has a rate limiter of its own. */
  readonly pace?: RateLimiter;
  readonly timeoutMs?: number;
  readonly clock?: RateLimiterClock;
  /** The length of a second between retries; tests set it to 0. */
  readonly retryUnitMs?: number;
}

type Credentials = { readonly token: string } | { readonly signIn: SignIn };

/** How a client without a token of its own gets one. */
interface SignIn {
  readonly strategy: ConstructorOptions['authStrategy'];
  readonly options: Readonly<Record<string, unknown>>;
  /** Whether a token that GitHub refuses is replaced by a new one. */
  readonly renews: boolean;
}

type ConstructorOptions = NonNullable<ConstructorParameters<typeof Octokit>[0]>;

export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

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

function credentials(given: Credentials): ConstructorOptions {
  if ('token' in given) return { auth: given.token };
  return { authStrategy: given.signIn.strategy, auth: given.signIn.options };
}

/** How long a new token is believed to be one that GitHub accepts, in milliseconds. */
const freshMs = 10_000;

const renewals = new WeakMap<Pick<Octokit, 'auth'>, { at: number; token: Promise<string> }>();

/** The token with which a client acts for an installation; renewed when it has expired. */
export async function installationToken(octokit: Pick<Octokit, 'auth'>): Promise<string> {
  return tokenIn(await octokit.auth({ type: 'installation' }));
}

/**
 * Another one, because GitHub has refused it: a token can be revoked long before it expires. Everybody who
 * was refused meanwhile gets the same.
 */
export function renewInstallationToken(octokit: Pick<Octokit, 'auth'>): Promise<string> {
  const now = performance.now();
  const known = renewals.get(octokit);
  if (known !== undefined && now - known.at < freshMs) return known.token;
  const token = octokit.auth({ type: 'installation', refresh: true }).then(tokenIn);
  renewals.set(octokit, { at: now, token });
  token.catch(() => renewals.delete(octokit));
  return token;
}

/** What auth-app's strategy returns; Octokit's type is `unknown`. */
function tokenIn(authentication: unknown): string {
  return (authentication as { token: string }).token;
}
