import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, type Forge, type ForgeOptions, type Permissions, startForge } from '@coxswain/forge';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { expect } from 'vitest';
import { openapiRecorder, type Recorder } from './openapi.ts';

/** A webhook as received. */
export interface Received {
  event: string;
  action: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
  // The payload of any event; each test knows the type of the fields that it reads.
  payload: Record<string, unknown>;
}

export interface Clone {
  dir: string;
  git(...args: string[]): Promise<string>;
  /** The same, but failure is a result. */
  attempt(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  commit(message: string, files?: Record<string, string>): Promise<string>;
}

export interface TestRepository {
  at: { owner: string; repo: string };
  /** `owner/repo`. */
  name: string;
  installation: number;
  /** The App's client, with all its permissions. */
  bot: Octokit;
}

/** A forge with people, a subscribed App, and a folder for clones. */
export interface Fixture {
  forge: Forge;
  app: App;
  recorder: Recorder;
  received: Received[];
  /** The status with which the webhook receiver responds from now on. */
  receiver: { status: number };
  person(login: string): Octokit;
  token(login: string): string;
  repository(options?: {
    private?: boolean;
    files?: Record<string, string>;
    permissions?: Permissions;
  }): Promise<TestRepository>;
  client(auth: string | undefined): Octokit;
  asApp(): Octokit;
  clone(repository: TestRepository, token?: string): Promise<Clone>;
  /** Waits until no delivery is pending. */
  deliveriesDone(): Promise<void>;
  /** Waits until no delivery is pending, and forgets those received so far. */
  forgetDeliveries(): Promise<void>;
  /** The actions of the received webhooks of one event, in order. */
  actionsOf(event: string): string[];
  end(): Promise<void>;
}

export const granted: Permissions = {
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  checks: 'write',
  actions: 'write',
  statuses: 'write',
  merge_queues: 'read',
};

const events = [
  ...['issues', 'issue_comment', 'pull_request', 'pull_request_review', 'pull_request_review_comment'],
  ...['push', 'check_run', 'check_suite', 'status', 'merge_group'],
];

/** `ada` owns the repositories, `wil` may write, `tri` triage, `ren` read; `out` has no role. */
export async function startFixture(options: ForgeOptions = {}): Promise<Fixture> {
  const recorder = await openapiRecorder();
  const { onExchange, onDelivery } = recorder;
  const forge = await startForge({ onExchange, onDelivery, ...options });
  const hook = await receiver();
  const tokens = new Map(
    ['ada', 'wil', 'tri', 'ren', 'out'].map((login) => [login, forge.seed.addUser(login)]),
  );
  const app = forge.seed.createApp({
    owner: 'ada',
    slug: 'helm',
    webhook_url: hook.url,
    webhook_secret: 'not very secret',
    permissions: granted,
    events,
  });
  const dir = mkdtempSync(join(tmpdir(), 'forge-test-'));
  const client = (auth: string | undefined) => clientFor(forge, auth === undefined ? {} : { auth });
  const token = (login: string) => tokens.get(login) ?? '';
  return {
    forge,
    app,
    recorder,
    received: hook.received,
    receiver: hook.settings,
    token,
    client,
    person: (login) => client(token(login)),
    asApp: () => clientFor(forge, appAuth(app)),
    repository: (wanted) => addRepository(forge, app, wanted),
    clone: (repository, given) => cloneOf(forge, repository, { dir, token: given ?? token('ada') }),
    deliveriesDone: () => untilQuiet(forge),
    async forgetDeliveries() {
      await untilQuiet(forge);
      hook.received.length = 0;
    },
    actionsOf: (event) => hook.received.filter((one) => one.event === event).map((one) => one.action ?? ''),
    async end() {
      await forge.stop();
      await hook.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function untilQuiet(forge: Forge): Promise<void> {
  return expect.poll(() => forge.quiet()).toBe(true);
}

function clientFor(forge: Forge, options: object): Octokit {
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  return new Octokit({ baseUrl: forge.apiUrl, log, ...options });
}

function appAuth(app: App, installationId?: number): object {
  const auth = { appId: app.id, privateKey: app.private_key, ...(installationId ? { installationId } : {}) };
  return { authStrategy: createAppAuth, auth };
}

let repositories = 0;

async function addRepository(
  forge: Forge,
  app: App,
  wanted: Parameters<Fixture['repository']>[0] = {},
): Promise<TestRepository> {
  repositories += 1;
  const repo = `widgets-${repositories}`;
  const name = `ada/${repo}`;
  const files = wanted.files ?? { 'README.md': 'Widgets\n' };
  await forge.seed.addRepository({ owner: 'ada', name: repo, private: wanted.private ?? false, files });
  for (const [login, role] of [
    ['wil', 'write'],
    ['tri', 'triage'],
    ['ren', 'read'],
  ] as const) {
    forge.seed.setCollaborator(name, login, role);
  }
  const installation = forge.seed.installApp(app, [name]);
  if (wanted.permissions) forge.seed.setInstallationPermissions(installation, wanted.permissions);
  return {
    at: { owner: 'ada', repo },
    name,
    installation,
    bot: clientFor(forge, appAuth(app, installation)),
  };
}

async function cloneOf(
  forge: Forge,
  repository: TestRepository,
  { dir, token }: { dir: string; token: string },
): Promise<Clone> {
  const home = mkdtempSync(join(dir, 'clone-'));
  const attempt: Clone['attempt'] = (...args) => gitIn(home, args);
  const git: Clone['git'] = async (...args) => {
    const { code, stdout, stderr } = await attempt(...args);
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  const address = forge.url.replace('http://', `http://x-access-token:${token}@`);
  await git('clone', '--quiet', `${address}/${repository.name}.git`, '.');
  return {
    dir: home,
    git,
    attempt,
    async commit(message, files = {}) {
      for (const [path, content] of Object.entries(files)) writeFileSync(join(home, path), content);
      await git('add', '--all');
      await git('commit', '--quiet', '--allow-empty', '--message', message);
      return git('rev-parse', 'HEAD');
    },
  };
}

function gitIn(cwd: string, args: string[]): ReturnType<Clone['attempt']> {
  const who = { NAME: 'Ada', EMAIL: 'ada@example.com' };
  const names = Object.entries(who).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  // Otherwise Git would look for work to do after most commands.
  const still = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'maintenance.auto', GIT_CONFIG_VALUE_0: 'false' };
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0', ...still, ...Object.fromEntries(names) };
  return new Promise((resolve) => {
    execFile('git', args, { cwd, env, encoding: 'utf8' }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
    });
  });
}

async function receiver() {
  const received: Received[] = [];
  const settings = { status: 200 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const body = Buffer.concat(chunks).toString('utf8');
    const payload: Record<string, unknown> = JSON.parse(body);
    const action = typeof payload['action'] === 'string' ? payload['action'] : undefined;
    const event = String(request.headers['x-github-event']);
    received.push({ event, action, headers: request.headers, body, payload });
    response.writeHead(settings.status).end('thanks');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // A server that listens on a port has an address object.
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}/hooks`, received, settings, close };
}

/** The status and message of a request that is expected to fail. */
export async function httpErrorOf(request: Promise<unknown>): Promise<{ status: number; message: string }> {
  try {
    await request;
  } catch (error) {
    if (error instanceof Error && 'status' in error)
      return { status: Number(error.status), message: error.message };
    throw error;
  }
  throw new Error('the request did not fail');
}
