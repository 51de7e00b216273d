import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Forge, startForge } from '@coxswain/forge';
import { adapters, probeSandbox, type Sandbox } from '../../src/agent/index.ts';
import { Installations } from '../../src/app/installations.ts';
import { git } from '../../src/git/git.ts';
import type { GitHubEventOf, Repository as GitHubRepository } from '../../src/github/events/github-event.ts';
import { type Connection, connect } from '../../src/github/octokit/connect.ts';
import { unlimited } from '../../src/github/octokit/token-bucket.ts';
import { handleGitHubEvent } from '../../src/runs/handle-event.ts';
import { LiveRuns } from '../../src/runs/live-runs.ts';
import { LocalEngine } from '../../src/runs/local-engine.ts';
import type { Repository } from '../../src/runs/repository.ts';
import { UnknownKeys } from '../../src/runs/restore/unknown-keys.ts';
import { sweepRepository } from '../../src/runs/sweep.ts';
import { Timers } from '../../src/runs/timers.ts';
import { seals } from '../ledger/identity.ts';
import { registered } from './registered.ts';

export const at = { owner: 'acme', repo: 'api' } as const;
const name = 'acme/api';

const files = {
  '.github/coxswain.yml':
    'version: 1\nagent: { use: command, command: [sh, agent.sh] }\nverifiers:\n  - { name: test, run: "true" }\n',
  'agent.sh': 'echo "iteration $COXSWAIN_ITERATION" >> notes.txt\n',
};

/** A forge, people, and the App without its server; the fixture delivers the events. */
export interface RunsFixture {
  readonly forge: Forge;
  /** The clone URL of the repository. */
  readonly url: string;
  readonly ada: Connection;
  readonly adasToken: string;
  /** Runs Git with Ada's token, which has the role write. */
  gitAsAda(...args: readonly string[]): Promise<string>;
  /** Posts a comment and delivers it `times` times; resolves when all its effects are done. */
  says(login: 'ada' | 'mia' | 'rea', number: number, text: string, times?: number): Promise<number>;
  sweep(): Promise<void>;
  /** Delivers that checks on a branch have passed; resolves when all its effects are done. */
  checksPass(number: number): Promise<void>;
  /** Replaces the App by a new one without any cache, as on another machine. */
  restart(): Promise<void>;
  /** The App's comments, oldest first, without hidden markers. */
  appComments(number: number): Promise<readonly string[]>;
  /** The warnings and errors that the App has logged. */
  readonly warnings: readonly string[];
  end(): Promise<void>;
}

/** A forge's data folder with its accounts, from which any number of fixtures can start. */
export interface SavedForge {
  readonly dir: string;
  readonly tokens: { readonly ada: string; readonly mia: string; readonly rea: string };
  readonly app: ReturnType<typeof registered>;
  remove(): Promise<void>;
}

/** Runs the setup shared by several tests once, and keeps the resulting forge. */
export async function saveForge(setup: (fixture: RunsFixture) => Promise<void>): Promise<SavedForge> {
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-saved-'));
  const forge = await startForge({ dir });
  const tokens = await populate(forge);
  const app = registered(forge, name);
  const remove = () => rm(dir, { recursive: true, force: true });
  await forge.stop();
  const fixture = await startRunsFixture({ dir, tokens, app, remove }, dir);
  await setup(fixture).finally(() => fixture.end());
  return { dir, tokens, app, remove };
}

/** Starts a fixture on a copy of the saved forge, or directly in `folder`. */
export async function startRunsFixture(
  { dir, tokens, app }: SavedForge,
  folder?: string,
): Promise<RunsFixture> {
  const home = await mkdtemp(join(tmpdir(), 'coxswain-runs-'));
  const copy = folder ?? join(home, 'forge');
  if (folder === undefined) await cp(dir, copy, { recursive: true });
  const forge = await startForge({ dir: copy });
  const client = (token: string) => connect({ baseUrl: forge.apiUrl, token, retryUnitMs: 0 });
  const people = { ada: client(tokens.ada), mia: client(tokens.mia), rea: client(tokens.rea) };
  const repository = await describeRepository(people.ada);
  const warnings: string[] = [];
  const sandbox = await probeSandbox('off', { hidden: [] });
  const open = (data: string) => openApp({ app, forge, data, sandbox, warnings, repository });
  let parts = open(join(home, 'first'));
  const remote = { url: repository.clone_url, token: async () => tokens.ada };
  const gitAsAda = (...args: readonly string[]) => git(args, { cwd: join(home, 'clone'), remote });
  await git(['init', '--quiet', '--bare', join(home, 'clone')]);
  return {
    forge,
    url: repository.clone_url,
    ada: people.ada,
    adasToken: tokens.ada,
    gitAsAda,
    warnings,
    says: async (login, number, body, times = 1) => {
      const place = { ...at, issue_number: number };
      const { data: comment } = await people[login].rest.issues.createComment({ ...place, body });
      const event = toCommentEvent(repository, { login, number, comment });
      await Promise.all(Array.from({ length: times }, () => handleGitHubEvent(event, parts)));
      await parts.done();
      return comment.id;
    },
    checksPass: async (number) => {
      const sender = { login: 'github-actions[bot]', id: 0, bot: true };
      const passed = { kind: 'checks_passed', branch: 'coxswain/x', numbers: [number], sender } as const;
      await handleGitHubEvent({ ...passed, repository, installation_id: 1 }, parts);
      await parts.done();
    },
    sweep: async () => {
      await sweepRepository(parts.repository, parts.liveRuns, { isGone: () => false });
      await parts.done();
    },
    restart: async () => {
      await parts.close();
      parts = open(await mkdtemp(join(home, 'next-')));
    },
    appComments: (number) => commentsOf(people.ada, number),
    end: async () => {
      await parts.close();
      await forge.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function populate({ seed }: Forge): Promise<SavedForge['tokens']> {
  seed.addOrganization('acme');
  await seed.addRepository({ owner: 'acme', name: 'api', files });
  const person = (login: string, role: 'read' | 'write' | 'maintain') => {
    const token = seed.addUser(login);
    seed.setCollaborator(name, login, role);
    return token;
  };
  return { ada: person('ada', 'write'), mia: person('mia', 'maintain'), rea: person('rea', 'read') };
}

async function describeRepository(client: Connection): Promise<GitHubRepository> {
  const { data } = await client.rest.repos.get(at);
  const { id, default_branch, clone_url } = data;
  return { id, owner: at.owner, name: at.repo, default_branch, clone_url, private: data.private };
}

interface Prerequisites {
  readonly app: ReturnType<typeof registered>;
  readonly forge: Forge;
  readonly data: string;
  readonly sandbox: Sandbox;
  readonly warnings: string[];
  readonly repository: GitHubRepository;
}

interface AppParts {
  readonly repository: Repository;
  readonly liveRuns: LiveRuns;
  /** Resolves when nothing is in progress. */
  done(): Promise<void>;
  close(): Promise<void>;
}

/** Wires up the App's parts as the App itself does. */
function openApp({ app, forge, data, sandbox, warnings, repository }: Prerequisites): AppParts {
  const silent = () => undefined;
  const addWarning = (message: string) => void warnings.push(message);
  const log = { debug: silent, info: silent, warn: addWarning, error: addWarning };
  const clock = { now: () => new Date() };
  const installations = new Installations({
    ...{ appId: app.id, privateKey: app.privateKey, apiUrl: forge.apiUrl, data, log },
    onMirror: async () => undefined,
    writeLimits: unlimited,
    onClient: silent,
  });
  installations.own = { login: 'coxswain[bot]', app: { id: app.id } };
  let holders = 0;
  const workRoot = join(data, 'work');
  const engine = new LocalEngine(
    {
      ...{ log, clock },
      nextHolder: () => `${data}:${holders++}`,
      resources: (mirror) => ({ mirror, workRoot, sandbox, adapters, secrets: [] }),
    },
    2,
  );
  const timers = new Timers({ clock, log });
  const configPath = '.github/coxswain.yml';
  const liveRuns = new LiveRuns({
    presenter: 'app',
    seals,
    unknownKeys: new UnknownKeys(),
    data,
    operator: {},
    configPath,
    engine,
    timers,
    clock,
    log,
  });
  const done = async () => {
    do {
      await liveRuns.drained();
      await engine.idle();
    } while (!liveRuns.quiet);
  };
  const close = async () => {
    timers.stop();
    await engine.stop();
    await liveRuns.close();
  };
  return { repository: installations.repository(repository, app.installation), liveRuns, done, close };
}

interface PostedComment {
  readonly login: string;
  readonly number: number;
  readonly comment: { readonly id: number; readonly body?: string | undefined; readonly updated_at: string };
}

/** The event that the webhook of the comment leads to. */
function toCommentEvent(
  repository: GitHubRepository,
  { login, number, comment }: PostedComment,
): GitHubEventOf<'comment'> {
  const { id, body = '', updated_at } = comment;
  const author = { login, id: 1, bot: false };
  const issue = { number, title: 'Fix the clock', body: '', open: true, is_pull: number > 1, labels: [] };
  return {
    ...{ kind: 'comment', action: 'created', repository, installation_id: 1, at: updated_at },
    ...{ comment: { id, body, former: null, updated_at }, author, sender: author, issue },
  };
}

async function commentsOf(client: Connection, number: number): Promise<readonly string[]> {
  const place = { ...at, issue_number: number, per_page: 100 };
  const comments = await client.paginate(client.rest.issues.listComments, place);
  const own = comments.filter(({ user }) => user?.login === 'coxswain[bot]');
  return own.map(({ body = '' }) => body.replace(/<!--[\s\S]*?-->/g, '').trim());
}
