import { isIP } from 'node:net';
import type { Variables } from './variables.ts';

/** Where people find what `coxswain setup` would have written. */
export const appSettingsPage =
  'run `coxswain setup` to register the App, or copy it from the settings page of your App';

/** The problem with a value that is set. */
export function expected(name: string, value: string, what: string): EnvironmentError {
  return new EnvironmentError(`${name} is ${JSON.stringify(value)}: expected ${what}`);
}

/** A variable that is set to something. */
export function textOf(variables: Variables, name: string): string | undefined {
  return variables[name] || undefined;
}

/** What a variable says, as `read` reads it; undefined where it is not set. */
export function given<T>(variables: Variables, name: string, read: (value: string) => T): T | undefined {
  const value = textOf(variables, name);
  return value === undefined ? undefined : read(value);
}

/** What a variable says that must be set; `how` says where it comes from. */
export function required(variables: Variables, name: string, how: string): string {
  const value = textOf(variables, name);
  if (value === undefined) throw new EnvironmentError(`${name} is not set: ${how}`);
  return value;
}

/** From 1 to what nine digits can say. */
export function positiveNumber(name: string, value: string, example: number): number {
  if (/^\d{1,9}$/.test(value) && Number(value) > 0) return Number(value);
  throw expected(name, value, `a whole number of at least 1, as in ${name}=${example}`);
}

/** The environment is incomplete or invalid; each problem says what to change. */
export class EnvironmentError extends Error {
  override name = 'EnvironmentError';
  readonly problems: readonly string[];

  constructor(problems: string | readonly string[], options?: ErrorOptions) {
    const all = typeof problems === 'string' ? [problems] : problems;
    super(all.length === 1 ? all[0] : `${all.length} settings are wrong:\n${listOf(all)}`, options);
    this.problems = all;
  }
}

function listOf(problems: readonly string[]): string {
  return problems.map((problem) => `- ${problem.replaceAll('\n', '\n  ')}`).join('\n');
}

/**
 * What all these readers return, by name. Whoever starts the App learns everything that is wrong at once, and
 * once where several read the same: throws `EnvironmentError` with the problems of all readers that throw one.
 */
export function readAll<T extends object>(readers: { readonly [K in keyof T]: () => T[K] }): T {
  const problems: string[] = [];
  const values: [string, unknown][] = [];
  for (const [name, read] of Object.entries<() => unknown>(readers)) {
    try {
      values.push([name, read()]);
    } catch (fault) {
      if (!(fault instanceof EnvironmentError)) throw fault;
      problems.push(...fault.problems);
    }
  }
  if (problems.length > 0) throw new EnvironmentError([...new Set(problems)]);
  return Object.fromEntries(values) as T; // one value for each reader, by its name
}

const highestPort = 65_535;

/** Whether it is the number of a port, or 0. */
export function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= highestPort;
}

/** Where to listen; 0 is any free port. */
export function port(value: string): number {
  if (isPort(value)) return Number(value);
  throw expected('PORT', value, `a port from 0 to ${highestPort}, as in PORT=3000`);
}

/** The interface to listen on. */
export function host(value: string): string {
  if (isIP(value) !== 0 || isHostName(value)) return value;
  throw expected('HOST', value, 'an address or a name of this machine, as in HOST=0.0.0.0');
}

/** The address of GitHub on the web: `https://github.com`, or that of an Enterprise Server. */
export function webUrl(variables: Variables): string {
  return enterpriseServer(variables) ?? 'https://github.com';
}

/** The REST API of an Enterprise Server, if there is one. */
export function apiUrl(variables: Variables): string | undefined {
  const server = enterpriseServer(variables);
  return server && `${server}/api/v3`;
}

function enterpriseServer(variables: Variables): string | undefined {
  const name = textOf(variables, 'GHE_HOST');
  const protocol = textOf(variables, 'GHE_PROTOCOL') ?? 'https';
  if (name === undefined) return undefined;
  if (protocol !== 'https' && protocol !== 'http') throw expected('GHE_PROTOCOL', protocol, 'http or https');
  const [host = '', port = '443', ...more] = name.split(':');
  if (!isHostName(host) || !isPort(port) || more.length > 0)
    throw expected('GHE_HOST', name, 'a host without a protocol, as in GHE_HOST=github.example.org');
  return `${protocol}://${name}`;
}

/** The channel from which webhooks are fetched. */
export function webhookProxyUrl(value: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  throw new EnvironmentError(
    'WEBHOOK_PROXY_URL is no address: expected a channel, as in https://smee.io/your-channel',
  );
}

function isHostName(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text);
}
