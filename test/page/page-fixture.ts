import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Forge, startForge } from '@coxswain/forge';
import { Identity } from '../../src/doors/callers/identity.ts';
import { RunIndex } from '../../src/doors/lists/run-index.ts';
import { type Connection, connect } from '../../src/github/octokit/connect.ts';
import { writeBlock } from '../../src/github/show/block.ts';
import { createPage } from '../../src/page/page.ts';
import type { Entrance } from '../../src/page/sign-in/entrance.ts';
import { keyEntrance } from '../../src/page/sign-in/key-entrance.ts';
import { ProgressBoard } from '../../src/repository/progress-board.ts';
import { type Repository, repositoryFrom } from '../../src/repository/repository.ts';
import { StrangerLimit } from '../../src/repository/stranger-limit.ts';
import type { LiveRuns } from '../../src/runs/run/live-runs.ts';
import type { Services } from '../../src/runs/run/services.ts';
import { openRuns } from '../../src/runs/wiring.ts';
import type { Story } from '../steering/story.ts';
import { hostile } from './samples.ts';
import { at, ledgerOf, openPull, pushBranch, pushCommit, runThatWaits } from './waiting-run.ts';

/** A forge with two issues and a run that waits for approval, and the page in front of it. */
export interface PageFixture {
  readonly forge: Forge;
  readonly url: string;
  readonly key: string;
  /** An issue without a run. */
  readonly issue: number;
  /** The issue that the run was started from. */
  readonly asked: number;
  readonly pull: number;
  readonly head: string;
  /** The person whose account the page posts with. */
  readonly ada: Connection;
  readonly run: Story;
  /** What agents are doing, as far as this page knows. */
  readonly progress: ProgressBoard;
  readonly repository: Repository;
  /** What this page lists, beside the run. */
  readonly index: RunIndex;
  /** How many runs this page's process holds open. */
  opened(): number;
  /** Continues the run: in its ledger, then in the pull request's body. */
  record(): Promise<void>;
  /** Puts a commit on the run's branch, for the next that the agent makes, and returns it. */
  push(files: Parameters<typeof pushCommit>[1], onto?: string): Promise<string>;
  commentsOn(number: number): Promise<readonly string[]>;
  /** Tells the page that its process is being stopped. */
  stops(): void;
  end(): Promise<void>;
}

const key = 'a key that is hard to guess';

/** How people get into the page: with a key, or as the test says. */
export type EntranceOf = (parts: EntranceParts) => Entrance;

interface EntranceParts {
  readonly forge: Forge;
  readonly identity: Identity;
  readonly origin: () => string;
}

export async function startFixture(entranceOf?: EntranceOf): Promise<PageFixture> {
  const data = await mkdtemp(join(tmpdir(), 'coxswain-page-'));
  const forge = await startForge();
  const { ada, token, repository } = await seed(forge, data);
  const { base, head } = await pushBranch(repository);
  const { data: issue } = await ada.rest.issues.create({ ...at, title: `Dates are wrong ${hostile}` });
  const { data: asked } = await ada.rest.issues.create({ ...at, title: `The clock is wrong ${hostile}` });
  const pull = await openPull(ada);
  const run = runThatWaits({ repository, number: pull, base, head, issue: asked.number });
  const ledger = ledgerOf(repository, pull, data);
  const record = () => ledger.record(run).then(() => writeBody(ada, pull, run));
  await record();
  const index = new RunIndex();
  const liveRuns = openRuns(servicesIn(data, index));
  await liveRuns.of(repository, pull).readLedger();
  const progress = new ProgressBoard();
  const server = await serve({ forge, token, entranceOf, repository, index, liveRuns, progress });
  const parts = [server, liveRuns, ledger, { close: () => forge.stop() }];
  return {
    forge,
    url: server.url,
    key,
    issue: issue.number,
    asked: asked.number,
    pull,
    head,
    ada,
    run,
    ...{ progress, repository, index },
    opened: () => liveRuns.open.length,
    record,
    push: async (files, onto) => {
      const { head: next } = await pushCommit(repository, files, onto);
      run.newCommit = () => next;
      return next;
    },
    commentsOn: (number) => commentBodies(ada, number),
    stops: () => server.stops(),
    end: () => endAll(parts, data),
  };
}

async function endAll(parts: readonly { close(): Promise<void> }[], data: string): Promise<void> {
  for (const part of parts) await part.close();
  await rm(data, { recursive: true, force: true });
}

async function writeBody(ada: Connection, pull: number, run: Story): Promise<void> {
  const body = writeBlock(`It fails on Mondays. ${hostile}`, run.state);
  await ada.rest.pulls.update({ ...at, pull_number: pull, body });
}

async function commentBodies(ada: Connection, number: number): Promise<readonly string[]> {
  const { data } = await ada.rest.issues.listComments({ ...at, issue_number: number });
  return data.map(({ body }) => body ?? '');
}

async function seed(
  forge: Forge,
  data: string,
): Promise<{ ada: Connection; token: string; repository: Repository }> {
  const token = forge.seed.addUser('ada');
  forge.seed.addOrganization('acme');
  const files = {
    'src/clock.ts': 'export const now = () => new Date();\n',
    '.github/coxswain.yml': 'version: 1\nagent: claude\nlabels: { trigger: "agent: go" }\n',
  };
  await forge.seed.addRepository({ owner: 'acme', name: 'api', files });
  forge.seed.setCollaborator('acme/api', 'ada', 'admin');
  const ada = connect({ baseUrl: forge.apiUrl, token, retryUnitMs: 0 });
  const { data: facts } = await ada.rest.repos.get(at);
  const { id, default_branch, clone_url } = facts;
  const incoming = { id, owner: at.owner, name: at.repo, default_branch, clone_url, private: facts.private };
  const own = { login: 'coxswain[bot]', app: { id: 1 } };
  return {
    ada,
    token,
    repository: repositoryFrom({ repository: incoming, octokit: ada, token: async () => token, own, data }),
  };
}

const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };

/** The run belongs to an App in another process: this one records and never acts. */
function servicesIn(data: string, index: RunIndex): Services {
  const clock = { now: () => new Date() };
  const lend = () => Promise.reject(new Error('nothing is lent here'));
  const engine = { engage: silent, lend, idle: async () => undefined, stop: async () => undefined };
  return {
    presenter: 'action',
    onState: (repository, state) => index.note(repository, state),
    unknownKeys: new Map(),
    strangers: new StrangerLimit(),
    data,
    operator: {},
    configPath: '.github/coxswain.yml',
    engine,
    clock,
    log,
    secrets: [],
  };
}

interface Serving {
  /** Of the person for whom the page does everything. */
  readonly token: string;
  readonly forge: Forge;
  readonly entranceOf: EntranceOf | undefined;
  readonly repository: Repository;
  readonly index: RunIndex;
  readonly liveRuns: LiveRuns;
  readonly progress: ProgressBoard;
}

async function serve({
  token,
  forge,
  entranceOf,
  repository,
  index,
  liveRuns,
  progress,
}: Serving): Promise<{ url: string; stops(): void; close(): Promise<void> }> {
  let url = '';
  const identity = new Identity(forge.apiUrl);
  const origin = () => url;
  const page = createPage({
    entrance: entranceOf?.({ forge, identity, origin }) ?? keyEntrance({ key, token, origin }),
    identity,
    installed: async ({ id, owner, name }) => {
      if (id !== repository.id) return undefined;
      const isRenamed = owner !== repository.owner || name !== repository.name;
      return isRenamed ? { ...repository, owner, name } : repository;
    },
    index,
    lookedAt: () => new Date().toISOString(),
    memberships: async () => ({ teams: [] }),
    liveRuns,
    progress,
    origin,
  });
  const server = createServer(async (request, response) => {
    if (!(await page.handle(request, response))) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address object.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    stops: () => page.close(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
