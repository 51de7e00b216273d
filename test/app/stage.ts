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
import { expect, vi } from 'vitest';
import { webhookPath } from '../../src/app/webhook-server.ts';
import { openapiRecorder } from '../forge/openapi.ts';
import { removeWithProcesses } from '../setup/processes.ts';
import { type AppProcess, freePort, type Launched, startAppProcess, type Variables } from './app-process.ts';
import { eventually } from './eventually.ts';
import { type Gate, setGate } from './gate.ts';
import { Person } from './person.ts';
import { askedByApp } from './pull-story.ts';
import { files } from './widgets.ts';

// Whole sessions, where everything that is waited for has a bound of its own.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 150_000 });

/** A small GitHub in this process, the App in another, and people who talk on `acme/widgets`. */
export interface Stage {
  readonly forge: Forge;
  /** May write. */
  readonly ada: Person;
  /** May write, too. */
  readonly bob: Person;
  /** Has the role maintain. */
  readonly mia: Person;
  /** May only read. */
  readonly grace: Person;
  readonly known: Known;
  /** Holds agents that are told to wait at `gate.url`. */
  readonly gate: Gate;
  /** The App's process as it was last started. */
  readonly app: AppProcess;
  /** Every process of the App so far, the newest last; also one that does not listen yet. */
  readonly processes: readonly Launched[];
  /** What the App is configured by. */
  readonly variables: Variables;
  /** Starts the App, again after `app.kill()` or `app.stop()`. */
  start(): Promise<void>;
  /** What the App asked of GitHub so far; what people asked is not in it. */
  requests(): readonly LoggedRequest[];
  /** Where the forge differed from GitHub's own description. */
  readonly problems: readonly string[];
  end(): Promise<void>;
}

export interface StageOptions {
  /** Added to the repository, or put in place of what it has; null takes a file away. */
  readonly files?: Readonly<Record<string, FileContent | null>>;
  /** Of the App, where they are not those of `app.yml`. */
  readonly permissions?: Permissions;
  readonly variables?: Variables;
  /** Saves the time to hold all that the forge says against GitHub's description. */
  readonly unchecked?: boolean;
  /** GitHub's time, which the App goes by. */
  readonly now?: () => Date;
  /** Stands between everybody and the forge. */
  readonly onRequest?: RequestHook | undefined;
  /** Where the forge keeps what it has; a folder that is removed in the end unless given. */
  readonly dir?: string;
  /** What is there before the App comes; files, permissions and people as usual unless given. */
  readonly ground?: Ground;
}

/** Fills the folder of a forge that will be reached at the host. */
export type Ground = (to: { readonly dir: string; readonly host: string }) => Promise<Known>;

/** Who is known on the forge. */
export interface Known {
  readonly tokens: Readonly<Record<Login, string>>;
  readonly registered: RegisteredApp;
  readonly installation: number;
}

type Login = 'ada' | 'bob' | 'mia' | 'grace';

export const name = 'acme/widgets';

/** As `app.yml` asks for them. */
export const permissions: Permissions = {
  contents: 'write',
  pull_requests: 'write',
  issues: 'write',
  checks: 'write',
  metadata: 'read',
};

const appEvents = [
  ...['issues', 'issue_comment', 'pull_request', 'pull_request_review'],
  ...['check_run', 'check_suite', 'push'],
];

/** Sets everything up and starts the App. */
export async function setStage(options: StageOptions = {}): Promise<Stage> {
  const stage = await setEmptyStage(options);
  try {
    await stage.start();
  } catch (fault) {
    await stage.end();
    throw fault;
  }
  return stage;
}

/** The same before the App is started. */
export async function setEmptyStage(options: StageOptions = {}): Promise<Stage> {
  const home = mkdtempSync(join(tmpdir(), 'coxswain-app-'));
  const { forge, known, problems } = await openForge(options, options.dir ?? join(home, 'forge'));
  const port = await freePort();
  forge.seed.setWebhook(known.registered, { url: `http://127.0.0.1:${port}${webhookPath}` });
  const variables = { ...variablesFor(forge, known.registered, { home, port }), ...options.variables };
  const running: { app: AppProcess | undefined } = { app: undefined };
  const processes: Launched[] = [];
  const gate = await setGate();
  return {
    forge,
    ...peopleOn(forge, known),
    ...{ known, gate, variables, problems, processes },
    get app() {
      if (running.app === undefined) throw new Error('the App has not been started');
      return running.app;
    },
    start: async () => {
      running.app = await startAppProcess(variables, (app) => processes.push(app));
    },
    requests: () => forge.requests.api.filter(({ actor }) => actor.startsWith('coxswain')),
    end: async () => {
      for (const app of processes) app.kill();
      await Promise.all(processes.map(({ ended }) => ended));
      await gate.close();
      await forge.stop();
      removeWithProcesses(home);
    },
  };
}

interface OpenForge {
  readonly forge: Forge;
  readonly known: Known;
  readonly problems: readonly string[];
}

async function openForge(options: StageOptions, dir: string): Promise<OpenForge> {
  const { onExchange, onDelivery, problems } = await openapiRecorder();
  const port = await freePort();
  const found = await options.ground?.({ dir, host: `127.0.0.1:${port}` });
  const { onRequest, unchecked, now } = options;
  const observers = unchecked ? {} : { onExchange, onDelivery };
  const forge = await startForge({ dir, port, onRequest, ...(now && { now }), ...observers });
  return { forge, known: found ?? (await populate(forge, options)), problems };
}

async function populate(forge: Forge, options: StageOptions): Promise<Known> {
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

function peopleOn(forge: Forge, { tokens }: Known): Pick<Stage, Login> {
  const person = (login: Login) => new Person(forge, login, tokens[login]);
  return { ada: person('ada'), bob: person('bob'), mia: person('mia'), grace: person('grace') };
}

function register({ seed }: Forge, granted: Permissions): Omit<Known, 'tokens'> {
  const registered = seed.createApp({
    slug: 'coxswain',
    owner: 'acme',
    webhook_url: '',
    webhook_secret: randomBytes(16).toString('hex'),
    permissions: granted,
    events: appEvents,
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
    GHE_HOST: new URL(forge.url).host,
    GHE_PROTOCOL: 'http',
    PORT: String(port),
    COXSWAIN_DATA: join(home, 'data'),
    COXSWAIN_SANDBOX: 'preferred',
    COXSWAIN_WRITE_LIMITS: 'off',
    LOG_LEVEL: 'info',
  };
}

/** A label needs no description, which GitHub's own one of pull requests forgot. */
const forgotten = /\/labels\/\d+\/description must be string/;

/** Ends the stage, where the forge spoke as GitHub does and the App had nothing to complain of. */
export async function endCleanly(stage: Stage): Promise<void> {
  try {
    expectClean(stage);
  } finally {
    await stage.end();
  }
}

/** The same of a stage on which another test is to follow. */
export function expectClean(stage: Stage): void {
  const seen = { problems: problemsOn(stage), complaints: stage.app.complaints() };
  expect(seen).toEqual({ problems: [], complaints: [] });
}

function problemsOn({ problems }: Stage): readonly string[] {
  return [...new Set(problems.filter((problem) => !forgotten.test(problem)))];
}

/** When every webhook is answered: what was said is remembered, or was refused. */
export async function delivered({ forge }: Stage): Promise<void> {
  const progress = () => askedByApp(forge);
  await eventually('every webhook to be answered', () => forge.quiet() || undefined, { progress });
}

/** What an App finds to make good when it is started it has made good when its first sweep is through. */
export async function swept({ app }: Stage): Promise<void> {
  if (app.hasEnded()) return;
  await eventually('the App to have swept', async () => {
    const response = await fetch(`${app.url}/healthz`);
    // Our own answer, see `src/app/app.ts`.
    const { last_sweep } = (await response.json()) as { last_sweep: string | null };
    return last_sweep !== null && last_sweep >= app.launchedAt ? true : undefined;
  });
}
