import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defined } from '../../config/schema/schema-forms.ts';
import {
  type AppSettings,
  concurrency,
  holdQuestionsMs,
  logLevel,
  operatorFileIn,
  renderAfterMs,
  sweepEveryMs,
  withDefaults,
  writeLimits,
} from './app-settings.ts';
import { type PageAccess, pageAccess, readKeys } from './page-access.ts';
import { pageUrl } from './page-address.ts';
import { agentEnvironment, providers, readable, sandboxMode, sandboxUser } from './programs.ts';
import {
  apiUrl,
  appSettingsPage,
  EnvironmentError,
  expected,
  given,
  host,
  port,
  positiveNumber,
  readAll,
  required,
  textOf,
  webhookProxyUrl,
} from './values.ts';
import { unknownVariables, type Variables, watched } from './variables.ts';

/** The configuration of our own server, validated. */
export interface AppEnvironment extends AppSettings, ServerSettings {}

/** What only our own server needs. */
interface ServerSettings extends PageAccess {
  readonly webhookSecret: string;
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly webhookProxyUrl: string | null;
}

/**
 * The settings in the environment of our own server, and the names of variables that look like settings of
 * ours, and that nothing reads. Where Probot has a variable, we use its name. Throws `EnvironmentError` with
 * everything that is wrong.
 */
export function readEnvironment(
  all: Variables,
): AppEnvironment & { readonly unknownVariables: readonly string[] } {
  const { variables, read } = watched(all);
  const { app, server, unknown } = readAll({
    app: () => appSettings(variables),
    server: () => serverSettings(variables),
    engine: () => given(variables, 'COXSWAIN_ENGINE', requireLocal),
    // The last, because it depends on what the others have read.
    unknown: () => unknownNames(variables, read),
  });
  return { ...app, ...server, unknownVariables: unknown };
}

function appSettings(variables: Variables): AppSettings {
  const {
    appId,
    privateKey: pem,
    ledgerKey,
    ...others
  } = readAll({
    appId: () => positiveNumber('APP_ID', required(variables, 'APP_ID', appSettingsPage), 123456),
    privateKey: () => privateKey(variables),
    ledgerKey: () => ledgerKeySetting(variables),
    operatorFile: () => operatorFileIn(variables),
    sandbox: () => given(variables, 'COXSWAIN_SANDBOX', sandboxMode),
    apiUrl: () => apiUrl(variables),
    data: () => resolve(textOf(variables, 'COXSWAIN_DATA') ?? '.coxswain'),
    concurrency: () => given(variables, 'COXSWAIN_CONCURRENCY', concurrency),
    readable: () => readable(variables),
    sandboxUser: () => given(variables, 'COXSWAIN_SANDBOX_USER', sandboxUser),
    providers: () => providers(variables),
    agentEnvironment: () => agentEnvironment(variables),
    sweepEveryMs: () => given(variables, 'COXSWAIN_SWEEP_EVERY', sweepEveryMs),
    renderAfterMs: () => given(variables, 'COXSWAIN_RENDER_AFTER', renderAfterMs),
    holdQuestionsMs: () => given(variables, 'COXSWAIN_HOLD_QUESTIONS', holdQuestionsMs),
    writeLimits: () => given(variables, 'COXSWAIN_WRITE_LIMITS', writeLimits),
    pageUrl: () => given(variables, 'COXSWAIN_PAGE_URL', pageUrl),
  });
  return withDefaults({ appId, privateKey: pem, ledgerKey, ...defined(others) });
}

function serverSettings(variables: Variables): ServerSettings {
  const { access, ...others } = readAll({
    access: () => pageAccess(variables),
    webhookSecret: () =>
      required(variables, 'WEBHOOK_SECRET', `without it anyone could forge events; ${appSettingsPage}`),
    host: () => given(variables, 'HOST', host) ?? '127.0.0.1',
    port: () => given(variables, 'PORT', port) ?? 3000,
    logLevel: () => given(variables, 'LOG_LEVEL', logLevel) ?? 'info',
    webhookProxyUrl: () => given(variables, 'WEBHOOK_PROXY_URL', webhookProxyUrl) ?? null,
  });
  return { ...access, ...others };
}

function requireLocal(engine: string): void {
  if (engine !== 'local') throw expected('COXSWAIN_ENGINE', engine, 'local, the only engine in this version');
}

/**
 * Throws for those that were probably misspelt. Others are not ours to refuse: Kubernetes, for one, sets
 * `COXSWAIN_SERVICE_HOST` where a service is called coxswain.
 */
function unknownNames(variables: Variables, read: ReadonlySet<string>): readonly string[] {
  const unknown = unknownVariables(variables, read);
  const problems = unknown.flatMap(({ name, suggestion }) =>
    suggestion === undefined ? [] : [`${name} is no setting of Coxswain: did you mean ${suggestion}?`],
  );
  if (problems.length > 0) throw new EnvironmentError(problems);
  return unknown.map(({ name }) => name);
}

const makeKey =
  'run `coxswain key` to make one, and keep it with the private key: ' +
  'without it anyone who may write to a repository could forge the history of its runs. ' +
  'If the App had open runs before, then look at them with `coxswain seal`, and seal them with --yes, ' +
  'before you start it';

/** The keys as they are written. Throws `EnvironmentError` if they are missing or cannot be read. */
function ledgerKeySetting({ COXSWAIN_LEDGER_KEY: text = '' }: Variables): string {
  if (text === '') throw new EnvironmentError(`COXSWAIN_LEDGER_KEY is not set: ${makeKey}`);
  readKeys('COXSWAIN_LEDGER_KEY', text);
  return text;
}

/** The App's key, as PEM. */
function privateKey(variables: Variables): string {
  const given = textOf(variables, 'PRIVATE_KEY');
  if (given !== undefined) return pem('PRIVATE_KEY', decoded(given));
  const path = textOf(variables, 'PRIVATE_KEY_PATH');
  if (path === undefined)
    throw new EnvironmentError(`neither PRIVATE_KEY nor PRIVATE_KEY_PATH is set: ${appSettingsPage}`);
  return pem(`PRIVATE_KEY_PATH (${path})`, contentOf(path));
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? reasons[String(cause.code)] : undefined;
    throw new EnvironmentError(
      `PRIVATE_KEY_PATH is ${path}, ${why ?? 'which could not be read'}: expected the file of the App's ` +
        `private key, as in PRIVATE_KEY_PATH=coxswain.private-key.pem`,
      { cause },
    );
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'but there is no such file',
  EACCES: 'which this user may not read',
  EISDIR: 'which is a folder',
};

/** As Probot accepts it: PEM, PEM with `\n` escaped, or base64. */
function decoded(given: string): string {
  if (given.includes('-----BEGIN')) return given.replaceAll('\\n', '\n');
  return Buffer.from(given, 'base64').toString('utf8');
}

/** GitHub's keys are of RSA; one that cannot be read would be noticed only at the first request. */
function pem(name: string, key: string): string {
  if (!/-----BEGIN (RSA )?PRIVATE KEY-----/.test(key))
    throw new EnvironmentError(
      `${name} is not a private key: expected PEM, starting with "-----BEGIN RSA PRIVATE KEY-----"`,
    );
  if (isRsaKey(key)) return key;
  throw new EnvironmentError(
    `${name} cannot be read as an RSA key: expected the whole file that GitHub gave you, from ` +
      '"-----BEGIN RSA PRIVATE KEY-----" to "-----END RSA PRIVATE KEY-----"',
  );
}

function isRsaKey(key: string): boolean {
  try {
    return createPrivateKey(key).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
