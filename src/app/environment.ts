import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ReadablePathError, readablePaths, userNamed } from '../agent/index.ts';
import { objectionToVariable } from '../config/agent-variables.ts';
import { stricter } from '../config/bounds.ts';
import { secondsOf } from '../config/quantities.ts';
import { githubLimits, unlimited, type WriteLimits } from '../github/octokit/token-bucket.ts';
import { ModelSettingsError, type Provider, providersIn } from '../network/model/providers.ts';
import { parseSealKeys, SealKeyError } from '../seal/keys.ts';
import type { SandboxMode } from '../steering/settings.ts';
import { EnvironmentError } from './environment-error.ts';
import { operatorFileIn } from './operator-file.ts';
import { pageUrlSetting } from './page-address.ts';
import { type AppSettings, withDefaults } from './settings.ts';

/** The configuration of our own server, validated. */
export interface AppEnvironment extends AppSettings {
  readonly webhookSecret: string;
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly webhookProxyUrl: string | null;
  /** The token of the GitHub user the page acts as; without it there is no page. */
  readonly pageToken: string | null;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The settings in the environment of our own server; where Probot has a variable, we use its name. */
export function readEnvironment(variables: Variables): AppEnvironment {
  const required = (name: string, how: string) => {
    const value = variables[name];
    if (value === undefined || value === '') throw new EnvironmentError(`${name} is not set: ${how}`);
    return value;
  };
  const engine = variables['COXSWAIN_ENGINE'] ?? 'local';
  if (engine !== 'local') {
    throw new EnvironmentError(
      `COXSWAIN_ENGINE is ${engine}: this version supports only the engine \`local\``,
    );
  }
  return {
    ...withDefaults({
      appId: wholeNumber('APP_ID', required('APP_ID', setUp)),
      privateKey: privateKey(variables),
      ledgerKey: ledgerKeySetting(variables),
      ...given(variables),
    }),
    webhookSecret: required('WEBHOOK_SECRET', `without it anyone could forge events. ${setUp}`),
    pageToken: variables['COXSWAIN_PAGE_TOKEN'] ?? null,
    host: variables['HOST'] ?? '127.0.0.1',
    port: wholeNumber('PORT', variables['PORT'] ?? '3000'),
    logLevel: variables['LOG_LEVEL'] ?? 'info',
    webhookProxyUrl: variables['WEBHOOK_PROXY_URL'] ?? null,
  };
}

/** The settings with a default that the environment overrides. */
function given(variables: Variables): Partial<AppSettings> {
  const { COXSWAIN_DATA: data, COXSWAIN_CONCURRENCY: concurrency } = variables;
  const operatorFile = operatorFileIn(variables);
  return {
    ...apiUrl(variables),
    ...(data === undefined ? {} : { data: resolve(data) }),
    ...(concurrency === undefined ? {} : { concurrency: atLeastOne('COXSWAIN_CONCURRENCY', concurrency) }),
    readable: readable(variables),
    ...sandboxUser(variables['COXSWAIN_SANDBOX_USER']),
    providers: providers(variables),
    operatorFile,
    ...weakestSandbox(variables['COXSWAIN_SANDBOX'], operatorFile.bounds.sandbox),
    ...sweepEvery(variables['COXSWAIN_SWEEP_EVERY']),
    agentEnvironment: named(variables, 'COXSWAIN_AGENT_ENV'),
    ...renderAfter(variables['COXSWAIN_RENDER_AFTER']),
    ...pageUrlSetting(variables['COXSWAIN_PAGE_URL']),
    ...writeLimits(variables['COXSWAIN_WRITE_LIMITS']),
  };
}

/** The variables whose names another one lists, separated by commas. */
function named(variables: Variables, list: string): Readonly<Record<string, string>> {
  const names = (variables[list] ?? '').split(',').map((name) => name.trim());
  const pairs = names.filter((name) => name !== '').map((name) => [name, variables[name]] as const);
  const missing = pairs.find(([, value]) => value === undefined);
  if (missing !== undefined) throw new EnvironmentError(`${list} names ${missing[0]}, which is not set`);
  for (const [name, value = ''] of pairs) {
    const expected = objectionToVariable(name, value);
    if (expected !== undefined) throw new EnvironmentError(`${list} names ${name}: expected ${expected}`);
  }
  return Object.fromEntries(pairs.map(([name, value]) => [name, value ?? '']));
}

/** The providers of models whose keys are set, and those that the operator adds. */
function providers(variables: Variables): readonly Provider[] {
  const { COXSWAIN_MODEL_URL: url, COXSWAIN_MODEL_HOSTS: hosts } = variables;
  try {
    return providersIn(variables, { url, hosts });
  } catch (fault) {
    if (fault instanceof ModelSettingsError) throw new EnvironmentError(fault.message);
    throw fault;
  }
}

const setUp = 'run `npx coxswain setup` to register the App, or copy it from the settings page of your App';

const makeKey =
  'run `npx coxswain key` to make one, and keep it with the private key: ' +
  'without it anyone who may write to a repository could forge the history of its runs. ' +
  'If the App had open runs before, then look at them with `npx coxswain seal`, and seal them with --yes, ' +
  'before you start it';

/** The keys as they are written. Throws `EnvironmentError` if they are missing or cannot be read. */
export function ledgerKeySetting({ COXSWAIN_LEDGER_KEY: text = '' }: Variables): string {
  if (text === '') throw new EnvironmentError(`COXSWAIN_LEDGER_KEY is not set: ${makeKey}`);
  try {
    parseSealKeys(text);
    return text;
  } catch (fault) {
    if (fault instanceof SealKeyError) throw new EnvironmentError(`COXSWAIN_LEDGER_KEY: ${fault.message}`);
    throw fault;
  }
}

function readable(variables: Variables): readonly string[] {
  const { COXSWAIN_SANDBOX_READABLE: text = '', COXSWAIN_DATA, COXSWAIN_OPERATOR_FILE } = variables;
  const files = ['.env', variables['PRIVATE_KEY_PATH'] || 'coxswain.private-key.pem', COXSWAIN_OPERATOR_FILE];
  const ours = [COXSWAIN_DATA || '.coxswain', ...files].filter((path) => path !== undefined && path !== '');
  try {
    return readablePaths(
      text,
      ours.map((path) => resolve(String(path))),
    );
  } catch (fault) {
    if (fault instanceof ReadablePathError) throw new EnvironmentError(fault.message);
    throw fault;
  }
}

function sandboxUser(value: string | undefined): Pick<Partial<AppSettings>, 'sandboxUser'> {
  if (value === undefined || value === '') return {};
  try {
    return { sandboxUser: userNamed(value) };
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : String(fault);
    throw new EnvironmentError(
      `COXSWAIN_SANDBOX_USER is ${JSON.stringify(value)}: ${why}; expected a user such as coxswain-agent`,
    );
  }
}

function privateKey(variables: Variables): string {
  const given = variables['PRIVATE_KEY'];
  if (given !== undefined && given !== '') return pem('PRIVATE_KEY', decoded(given));
  const path = variables['PRIVATE_KEY_PATH'];
  if (path === undefined || path === '') {
    throw new EnvironmentError(`neither PRIVATE_KEY nor PRIVATE_KEY_PATH is set: ${setUp}`);
  }
  if (!existsSync(path)) throw new EnvironmentError(`PRIVATE_KEY_PATH is ${path}, but there is no such file`);
  return pem('PRIVATE_KEY_PATH', readFileSync(path, 'utf8'));
}

/** As Probot accepts it: PEM, PEM with `\n` escaped, or base64. */
function decoded(given: string): string {
  if (given.includes('-----BEGIN')) return given.replaceAll('\\n', '\n');
  return Buffer.from(given, 'base64').toString('utf8');
}

function pem(name: string, key: string): string {
  if (/-----BEGIN (RSA )?PRIVATE KEY-----/.test(key)) return key;
  throw new EnvironmentError(
    `${name} is not a private key: expected PEM, starting with "-----BEGIN RSA PRIVATE KEY-----"`,
  );
}

function apiUrl({ GHE_HOST: host, GHE_PROTOCOL: protocol }: Variables): Pick<Partial<AppSettings>, 'apiUrl'> {
  return host === undefined || host === '' ? {} : { apiUrl: `${protocol ?? 'https'}://${host}/api/v3` };
}

function wholeNumber(name: string, value: string): number {
  if (/^\d+$/.test(value)) return Number(value);
  throw new EnvironmentError(
    `${name} is ${JSON.stringify(value)}: expected a whole number, as in ${name}=3000`,
  );
}

function atLeastOne(name: string, value: string): number {
  const number = wholeNumber(name, value);
  if (number >= 1) return number;
  throw new EnvironmentError(`${name} is 0: expected at least 1`);
}

function sweepEvery(value: string | undefined): Pick<Partial<AppSettings>, 'sweepEveryMs'> {
  if (value === undefined || value === '') return {};
  const seconds = secondsOf(value);
  if (seconds !== undefined && seconds <= longestSweepS) return { sweepEveryMs: seconds * 1000 };
  throw new EnvironmentError(
    `COXSWAIN_SWEEP_EVERY is ${JSON.stringify(value)}: expected a duration of at most 24h, such as 5m`,
  );
}

/** GitHub keeps deliveries for three days; a later sweep would no longer find them. */
const longestSweepS = 24 * 60 * 60;

function renderAfter(value: string | undefined): Pick<Partial<AppSettings>, 'renderAfterMs'> {
  if (value === undefined || value === '') return {};
  const seconds = value === '0' ? 0 : secondsOf(value);
  if (seconds !== undefined && seconds <= maxRenderAfterS) return { renderAfterMs: seconds * 1000 };
  throw new EnvironmentError(
    `COXSWAIN_RENDER_AFTER is ${JSON.stringify(value)}: expected 0 or a duration of at most 1m, such as 3s`,
  );
}

/** People who see no sign of work for longer than this assume that nothing happens. */
const maxRenderAfterS = 60;

function writeLimits(value = 'github'): { readonly writeLimits: WriteLimits } {
  if (value === 'github') return { writeLimits: githubLimits };
  if (value === 'off') return { writeLimits: unlimited };
  throw new EnvironmentError(`COXSWAIN_WRITE_LIMITS is ${JSON.stringify(value)}: expected github or off`);
}

/** Of the variable and the operator's file, the stricter one. */
function weakestSandbox(
  written: string | undefined,
  bound: SandboxMode | undefined,
): Pick<Partial<AppSettings>, 'sandbox'> {
  if (written === undefined) return bound === undefined ? {} : { sandbox: bound };
  return { sandbox: stricter(sandboxMode(written), bound) };
}

function sandboxMode(value: string): SandboxMode {
  if (value === 'required' || value === 'preferred' || value === 'off') return value;
  throw new EnvironmentError(
    `COXSWAIN_SANDBOX is ${JSON.stringify(value)}: expected required, preferred or off`,
  );
}
