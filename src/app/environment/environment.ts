import { resolve } from 'node:path';
import { defined } from '../../config/schema/schema-forms.ts';
import { apiUrl, host, port, webhookProxyUrl } from './addresses.ts';
import { ledgerKeySetting, privateKey } from './keys.ts';
import { operatorFileIn } from './operator-file.ts';
import { concurrency, holdQuestionsMs, logLevel, renderAfterMs, sweepEveryMs, writeLimits } from './pace.ts';
import { pageUrl } from './page-address.ts';
import { agentEnvironment, providers, readable, sandboxMode, sandboxUser } from './programs.ts';
import { type AppSettings, withDefaults } from './settings.ts';
import {
  appSettingsPage,
  EnvironmentError,
  expected,
  given,
  positiveNumber,
  readAll,
  required,
  textOf,
} from './values.ts';
import { unknownVariables, type Variables, watched } from './variables.ts';

/** The configuration of our own server, validated. */
export interface AppEnvironment extends AppSettings, ServerSettings {}

/** The same, and the names of variables that look like settings of ours, and that nothing reads. */
export interface ReadEnvironment extends AppEnvironment {
  readonly unknownVariables: readonly string[];
}

/** What only our own server needs. */
interface ServerSettings {
  readonly webhookSecret: string;
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly webhookProxyUrl: string | null;
  /** The token of the GitHub user the page acts as; without it there is no page. */
  readonly pageToken: string | null;
}

/**
 * The settings in the environment of our own server; where Probot has a variable, we use its name. Throws
 * `EnvironmentError` with everything that is wrong.
 */
export function readEnvironment(all: Variables): ReadEnvironment {
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
  return readAll({
    webhookSecret: () =>
      required(variables, 'WEBHOOK_SECRET', `without it anyone could forge events; ${appSettingsPage}`),
    pageToken: () => textOf(variables, 'COXSWAIN_PAGE_TOKEN') ?? null,
    host: () => given(variables, 'HOST', host) ?? '127.0.0.1',
    port: () => given(variables, 'PORT', port) ?? 3000,
    logLevel: () => given(variables, 'LOG_LEVEL', logLevel) ?? 'info',
    webhookProxyUrl: () => given(variables, 'WEBHOOK_PROXY_URL', webhookProxyUrl) ?? null,
  });
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
