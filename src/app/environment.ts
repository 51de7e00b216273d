import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { secondsOf } from '../config/duration.ts';
import { githubLimits, unlimited, type WriteLimits } from '../github/octokit/token-bucket.ts';
import type { SandboxMode } from '../steering/settings.ts';

/** How the App was configured, checked. */
export interface AppEnvironment {
  readonly appId: number;
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly host: string;
  readonly port: number;
  /** REST: `https://api.github.com`, or `…/api/v3` of an Enterprise Server. */
  readonly apiUrl: string;
  readonly data: string;
  readonly concurrency: number;
  readonly sandbox: SandboxMode;
  /** What agents get of our own environment, by name: a model's key, an endpoint. */
  readonly agentEnvironment: Readonly<Record<string, string>>;
  readonly logLevel: string;
  readonly webhookProxyUrl: string | null;
  /** A GitHub user's token in whose name the page speaks; without it there is no page. */
  readonly pageToken: string | null;
  /**
   * How often missed webhooks and overdue work are looked for, in milliseconds; as the sweeper does unless
   * told.
   */
  readonly sweepEveryMs?: number;
  /** How long a phase in which work goes on must last to be drawn, in milliseconds; as usual unless told. */
  readonly drawAfterMs?: number;
  /** How fast each installation may write; as GitHub takes it unless told. */
  readonly writeLimits?: WriteLimits;
  /** Where keys may lie on disk, for the sandbox to hide. */
  readonly keyFiles: readonly string[];
}

/** The environment lacks something; the message says what, and how to get it. */
export class Misconfigured extends Error {
  override name = 'Misconfigured';
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The one place where the App reads its environment (names as Probot's users know them, DESIGN §12). */
export function readEnvironment(variables: Variables): AppEnvironment {
  const required = (name: string, how: string) => {
    const value = variables[name];
    if (value === undefined || value === '') throw new Misconfigured(`${name} is not set: ${how}`);
    return value;
  };
  const engine = variables['COXSWAIN_ENGINE'] ?? 'local';
  if (engine !== 'local') {
    throw new Misconfigured(`COXSWAIN_ENGINE is ${engine}: this version has the engine \`local\` only`);
  }
  return {
    appId: wholeNumber('APP_ID', required('APP_ID', setUp)),
    privateKey: privateKey(variables),
    webhookSecret: required('WEBHOOK_SECRET', `without it anybody could forge events. ${setUp}`),
    host: variables['HOST'] ?? '127.0.0.1',
    port: wholeNumber('PORT', variables['PORT'] ?? '3000'),
    apiUrl: apiUrl(variables),
    data: resolve(variables['COXSWAIN_DATA'] ?? '.coxswain'),
    concurrency: atLeastOne('COXSWAIN_CONCURRENCY', variables['COXSWAIN_CONCURRENCY'] ?? '4'),
    sandbox: sandboxMode(variables['COXSWAIN_SANDBOX'] ?? 'required'),
    agentEnvironment: named(variables, 'COXSWAIN_AGENT_ENV'),
    logLevel: variables['LOG_LEVEL'] ?? 'info',
    webhookProxyUrl: variables['WEBHOOK_PROXY_URL'] ?? null,
    pageToken: variables['COXSWAIN_PAGE_TOKEN'] ?? null,
    ...sweepEvery(variables['COXSWAIN_SWEEP_EVERY']),
    ...drawAfter(variables['COXSWAIN_DRAW_AFTER']),
    writeLimits: writeLimits(variables['COXSWAIN_WRITE_LIMITS'] ?? 'github'),
    keyFiles: ['.env', variables['PRIVATE_KEY_PATH'] || defaultKeyPath].map((path) => resolve(path)),
  };
}

/** The variables that another one lists by name, separated by commas. */
function named(variables: Variables, list: string): Readonly<Record<string, string>> {
  const names = (variables[list] ?? '').split(',').map((name) => name.trim());
  const pairs = names.filter((name) => name !== '').map((name) => [name, variables[name]] as const);
  const missing = pairs.find(([, value]) => value === undefined);
  if (missing !== undefined) throw new Misconfigured(`${list} names ${missing[0]}, which is not set`);
  return Object.fromEntries(pairs.map(([name, value]) => [name, value ?? '']));
}

const setUp = 'run `npx coxswain setup` to register the App, or copy it from the settings page of your App';

/** Where `coxswain setup` leaves the key. */
const defaultKeyPath = 'coxswain.private-key.pem';

function privateKey(variables: Variables): string {
  const given = variables['PRIVATE_KEY'];
  if (given !== undefined && given !== '') return pem('PRIVATE_KEY', decoded(given));
  const path = variables['PRIVATE_KEY_PATH'];
  if (path === undefined || path === '') {
    throw new Misconfigured(`neither PRIVATE_KEY nor PRIVATE_KEY_PATH is set: ${setUp}`);
  }
  if (!existsSync(path)) throw new Misconfigured(`PRIVATE_KEY_PATH names ${path}, and there is no such file`);
  return pem('PRIVATE_KEY_PATH', readFileSync(path, 'utf8'));
}

/** As Probot takes it: PEM, PEM with `\n` written out, or all of it in base64. */
function decoded(given: string): string {
  if (given.includes('-----BEGIN')) return given.replaceAll('\\n', '\n');
  return Buffer.from(given, 'base64').toString('utf8');
}

function pem(name: string, key: string): string {
  if (/-----BEGIN (RSA )?PRIVATE KEY-----/.test(key)) return key;
  throw new Misconfigured(
    `${name} is not a private key: expected PEM, beginning with "-----BEGIN RSA PRIVATE KEY-----"`,
  );
}

function apiUrl({ GHE_HOST: host, GHE_PROTOCOL: protocol }: Variables): string {
  return host === undefined || host === ''
    ? 'https://api.github.com'
    : `${protocol ?? 'https'}://${host}/api/v3`;
}

function wholeNumber(name: string, value: string): number {
  if (/^\d+$/.test(value)) return Number(value);
  throw new Misconfigured(`${name} is ${JSON.stringify(value)}: expected a whole number, as in ${name}=3000`);
}

function atLeastOne(name: string, value: string): number {
  const number = wholeNumber(name, value);
  if (number >= 1) return number;
  throw new Misconfigured(`${name} is 0: expected at least 1`);
}

function sweepEvery(value: string | undefined): Pick<AppEnvironment, 'sweepEveryMs'> {
  if (value === undefined || value === '') return {};
  const seconds = secondsOf(value);
  if (seconds !== undefined && seconds <= longestSweepS) return { sweepEveryMs: seconds * 1000 };
  throw new Misconfigured(
    `COXSWAIN_SWEEP_EVERY is ${JSON.stringify(value)}: expected a duration of at most 24h, as in 5m`,
  );
}

/** GitHub keeps deliveries for three days; a sweep that comes later finds them gone. */
const longestSweepS = 24 * 60 * 60;

function drawAfter(value: string | undefined): Pick<AppEnvironment, 'drawAfterMs'> {
  if (value === undefined || value === '') return {};
  const seconds = value === '0' ? 0 : secondsOf(value);
  if (seconds !== undefined && seconds <= longestDrawAfterS) return { drawAfterMs: seconds * 1000 };
  throw new Misconfigured(
    `COXSWAIN_DRAW_AFTER is ${JSON.stringify(value)}: expected 0 or a duration of at most 1m, as in 3s`,
  );
}

/** Whoever looks at a pull request for longer than this without a sign of work takes it for lost. */
const longestDrawAfterS = 60;

function writeLimits(value: string): WriteLimits {
  if (value === 'github') return githubLimits;
  if (value === 'off') return unlimited;
  throw new Misconfigured(`COXSWAIN_WRITE_LIMITS is ${JSON.stringify(value)}: expected github or off`);
}

function sandboxMode(value: string): SandboxMode {
  if (value === 'required' || value === 'preferred' || value === 'off') return value;
  throw new Misconfigured(
    `COXSWAIN_SANDBOX is ${JSON.stringify(value)}: expected required, preferred or off`,
  );
}
