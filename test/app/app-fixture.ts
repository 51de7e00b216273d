import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type FileContent,
  type Forge,
  type LoggedRequest,
  type Permissions,
  type App as RegisteredApp,
  type RequestHook,
  startForge,
} from '@coxswain/forge';
import { expect } from 'vitest';
import { webhookPath } from '../../src/app/webhook-server.ts';
import { newSealKey } from '../../src/seal/seal-keys.ts';
import { openapiRecorder } from '../forge/openapi.ts';
import { ledgerKey } from '../ledger/identity.ts';
import { removeWithProcesses } from '../setup/processes.ts';
import { type AppProcess, freePort, type Launched, startAppProcess, type Variables } from './app-process.ts';
import { type Barrier, barrierFolder, startBarrier } from './barrier.ts';
import { eventually } from './eventually.ts';
import { Person } from './person.ts';
import { progressOfApp } from './pull-client.ts';
import { files } from './widgets.ts';

/** A forge in this process, the App in another one, and people who comment on `acme/widgets`. */
export interface AppFixture {
  readonly forge: Forge;
  /** Has the role write. */
  readonly ada: Person;
  /** Has the role write. */
  readonly bob: Person;
  /** Has the role maintain. */
  readonly mia: Person;
  /** Has the role read. */
  readonly grace: Person;
  readonly accounts: Accounts;
  /** Blocks agents whose task says `agent: wait` and the barrier's URL. */
  readonly barrier: Barrier;
  /** The most recently started process of the App. */
  readonly app: AppProcess;
  /** All processes of the App, oldest first, including one that is not listening yet. */
  readonly processes: readonly Launched[];
  /** The App's environment variables. */
  readonly variables: Variables;
  /** Starts the App, again after `app.kill()` or `app.stop()`; the variables given replace its own. */
  start(changed?: Variables): Promise<void>;
  /** The App's own API requests so far. */
  requests(): readonly LoggedRequest[];
  /** Where the forge's responses or webhooks violated GitHub's API description. */
  readonly problems: readonly string[];
  end(): Promise<void>;
}

export interface AppFixtureOptions {
  /** Files to add or replace in the repository; null removes a file. */
  readonly files?: Readonly<Record<string, FileContent | null>>;
  /** The App's permissions; those of `app.yml` by default. */
  readonly permissions?: Permissions;
  readonly variables?: Variables;
  /** Skips the slow validation of the forge against GitHub's description. */
  readonly unchecked?: boolean;
  /** GitHub's clock, which the App follows. */
  readonly now?: () => Date;
  /** Intercepts every request to the forge. */
  readonly onRequest?: RequestHook | undefined;
  /** The forge's data folder; a temporary one by default. */
  readonly dir?: string;
  /** Fills the forge, in place of `files`, `permissions` and the default accounts. */
  readonly seedForge?: SeedForge;
}

/** Fills the data folder of a forge that will listen at the host. */
export type SeedForge = (target: { readonly dir: string; readonly host: string }) => Promise<Accounts>;

/** The accounts on the forge. */
export interface Accounts {
  readonly tokens: Readonly<Record<Login, string>>;
  readonly registered: RegisteredApp;
  readonly installation: number;
}

type Login = 'ada' | 'bob' | 'mia' | 'grace';

export const name = 'acme/widgets';

/** The permissions in `app.yml`. */
export const permissions: Permissions = {
  contents: 'write',
  pull_requests: 'write',
  issues: 'write',
  checks: 'write',
  statuses: 'write',
  merge_queues: 'read',
  metadata: 'read',
};

const appEvents = [
  ...['issues', 'issue_comment', 'pull_request', 'pull_request_review'],
  ...['check_run', 'check_suite', 'push', 'merge_group'],
];

/** Prepares the fixture and starts the App. */
export async function startAppFixture(options: AppFixtureOptions = {}): Promise<AppFixture> {
  const fixture = await prepareAppFixture(options);
  try {
    await fixture.start();
  } catch (fault) {
    await fixture.end();
    throw fault;
  }
  return fixture;
}

/** Prepares everything but does not start the App. */
export async function prepareAppFixture(options: AppFixtureOptions = {}): Promise<AppFixture> {
  const home = mkdtempSync(join(tmpdir(), 'coxswain-app-'));
  const { forge, accounts, problems } = await openForge(options, options.dir ?? join(home, 'forge'));
  const port = await freePort();
  forge.seed.setWebhook(accounts.registered, { url: `http://127.0.0.1:${port}${webhookPath}` });
  const variables = { ...variablesFor(forge, accounts.registered, { home, port }), ...options.variables };
  const running: { app: AppProcess | undefined } = { app: undefined };
  const processes: Launched[] = [];
  const barrier = await startBarrier();
  return {
    forge,
    ...peopleOn(forge, accounts),
    ...{ accounts, barrier, variables, problems, processes },
    get app() {
      if (running.app === undefined) throw new Error('the App has not been started');
      return running.app;
    },
    start: async (changed) => {
      running.app = await startAppProcess({ ...variables, ...changed }, (app) => processes.push(app));
    },
    requests: () => forge.requests.api.filter(({ actor }) => actor.startsWith('coxswain')),
    end: async () => {
      for (const app of processes) app.kill();
      await Promise.all(processes.map(({ ended }) => ended));
      await barrier.close();
      await forge.stop();
      removeWithProcesses(home);
    },
  };
}

interface OpenForge {
  readonly forge: Forge;
  readonly accounts: Accounts;
  readonly problems: readonly string[];
}

async function openForge(options: AppFixtureOptions, dir: string): Promise<OpenForge> {
  const { onExchange, onDelivery, problems } = await openapiRecorder();
  const port = await freePort();
  const seeded = await options.seedForge?.({ dir, host: `127.0.0.1:${port}` });
  const { onRequest, unchecked, now } = options;
  const observers = unchecked ? {} : { onExchange, onDelivery };
  const forge = await startForge({ dir, port, onRequest, ...(now && { now }), ...observers });
  return { forge, accounts: seeded ?? (await populate(forge, options)), problems };
}

async function populate(forge: Forge, options: AppFixtureOptions): Promise<Accounts> {
  const { seed } = forge;
  seed.addOrganization('acme');
  const all: Record<string, FileContent> = { ...files };
  for (const [path, content] of Object.entries(options.files ?? {})) {
    if (content === null) delete all[path];
    else all[path] = content;
  }
  await seed.addRepository({ owner: 'acme', name: 'widgets', files: all });
  const person = (login: Login, role: 'read' | 'write' | 'maintain') => {
    const token = seed.addUser(login);
    seed.setCollaborator(name, login, role);
    return token;
  };
  return {
    tokens: {
      ada: person('ada', 'write'),
      bob: person('bob', 'write'),
      mia: person('mia', 'maintain'),
      grace: person('grace', 'read'),
    },
    ...register(forge, options.permissions ?? permissions),
  };
}

function peopleOn(forge: Forge, { tokens }: Accounts): Pick<AppFixture, Login> {
  const person = (login: Login) => new Person(forge, login, tokens[login]);
  return { ada: person('ada'), bob: person('bob'), mia: person('mia'), grace: person('grace') };
}

function register({ seed }: Forge, granted: Permissions): Omit<Accounts, 'tokens'> {
  const registered = seed.createApp({
    slug: 'coxswain',
    owner: 'acme',
    webhook_url: '',
    webhook_secret: randomBytes(16).toString('hex'),
    permissions: granted,
    events: appEvents,
    // Loopback's port is the one at which the App happens to listen.
    callback_urls: ['http://127.0.0.1/sign-in/callback'],
  });
  return { registered, installation: seed.installApp(registered, [name]) };
}

function variablesFor(
  forge: Forge,
  app: RegisteredApp,
  { home, port }: { home: string; port: number },
): Variables {
  const key = join(home, 'private-key.pem');
  writeFileSync(key, app.private_key, { mode: 0o600 });
  return {
    home,
    APP_ID: String(app.id),
    PRIVATE_KEY_PATH: key,
    WEBHOOK_SECRET: app.webhook_secret,
    COXSWAIN_LEDGER_KEY: ledgerKey,
    GHE_HOST: new URL(forge.url).host,
    GHE_PROTOCOL: 'http',
    PORT: String(port),
    COXSWAIN_DATA: join(home, 'data'),
    COXSWAIN_SANDBOX: 'preferred',
    COXSWAIN_SANDBOX_READABLE: barrierFolder(),
    COXSWAIN_WRITE_LIMITS: 'off',
    LOG_LEVEL: 'info',
  };
}

/** With these variables people sign in to the App's page with their accounts on the forge. */
export function signInVariables({
  accounts,
  variables,
}: Pick<AppFixture, 'accounts' | 'variables'>): Variables {
  return {
    GITHUB_CLIENT_ID: accounts.registered.client_id,
    GITHUB_CLIENT_SECRET: accounts.registered.client_secret,
    COXSWAIN_SESSION_KEY: newSealKey(),
    COXSWAIN_PAGE_URL: `http://127.0.0.1:${variables['PORT']}`,
  };
}

/** GitHub's API description wrongly requires labels of pull requests to have a description. */
const knownMistake = /\/labels\/\d+\/description must be string/;

/** Stops everything; fails if the forge violated GitHub's description or the App logged a warning. */
export async function expectCleanEnd(fixture: AppFixture): Promise<void> {
  try {
    expectNoProblems(fixture);
  } finally {
    await fixture.end();
  }
}

/** Like `expectCleanEnd`, for a fixture that the next test continues to use; `but`: expected warnings. */
export function expectNoProblems(fixture: AppFixture, but?: RegExp): void {
  const warnings = fixture.app.warnings().filter((warning) => but === undefined || !but.test(warning));
  const found = { problems: problemsOf(fixture), warnings };
  expect(found).toEqual({ problems: [], warnings: [] });
}

function problemsOf({ problems }: AppFixture): readonly string[] {
  return [...new Set(problems.filter((problem) => !knownMistake.test(problem)))];
}

/** Waits until every webhook is answered: each command is then recorded or refused. */
export async function waitForDeliveries({ forge }: AppFixture): Promise<void> {
  const progress = () => progressOfApp(forge);
  await eventually('every webhook to be answered', () => forge.quiet() || undefined, { progress });
}

/** Waits until the first sweep after start is complete. */
export async function waitForFirstSweep({ app }: AppFixture): Promise<void> {
  if (app.hasEnded()) return;
  await eventually('the first sweep of the App', async () => {
    const response = await fetch(`${app.url}/healthz`);
    // Our own response, see `src/app/app.ts`.
    const { last_sweep } = (await response.json()) as { last_sweep: string | null };
    return last_sweep !== null && last_sweep >= app.launchedAt ? true : undefined;
  });
}
