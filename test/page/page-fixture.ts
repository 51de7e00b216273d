import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Forge, startForge } from '@coxswain/forge';
import { type Connection, connect } from '../../src/github/octokit/connect.ts';
import { writeBlock } from '../../src/github/show/block.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { createPage } from '../../src/page/page.ts';
import { LiveRuns } from '../../src/runs/live-runs.ts';
import type { Repository } from '../../src/runs/repository.ts';
import { repositoryFrom } from '../../src/runs/repository.ts';
import type { Services } from '../../src/runs/services.ts';
import { Timers } from '../../src/runs/timers.ts';
import { decide } from '../../src/steering/decide.ts';
import { workCopy } from '../git/work-copy.ts';
import { settingsOf, verifierOutputs } from '../steering/samples.ts';
import { type Story, story } from '../steering/story.ts';
import { hostile } from './samples.ts';

/** A forge with an issue and a run that waits for approval, and the page in front of it. */
export interface PageFixture {
  readonly forge: Forge;
  readonly url: string;
  readonly key: string;
  readonly issue: number;
  readonly pull: number;
  readonly head: string;
  /** The person whose account the page posts with. */
  readonly ada: Connection;
  readonly run: Story;
  /** Lets the run go on: in its ledger, then in the pull request's body. */
  remember(): Promise<void>;
  commentsOn(number: number): Promise<readonly string[]>;
  end(): Promise<void>;
}

export const at = { owner: 'acme', repo: 'api' } as const;
const name = 'acme/api';
const branch = 'coxswain/fix-the-clock-1a2b3c';
const key = 'a key that nobody guesses';

export async function startFixture(): Promise<PageFixture> {
  const data = await mkdtemp(join(tmpdir(), 'coxswain-page-'));
  const forge = await startForge();
  const { ada, repository } = await seed(forge, data);
  const { base, head } = await pushBranch(repository);
  const { data: issue } = await ada.rest.issues.create({ ...at, title: `Dates are wrong ${hostile}` });
  const { data: pull } = await ada.rest.pulls.create({
    ...at,
    head: branch,
    base: 'main',
    draft: true,
    title: `Fix the clock ${hostile}`,
  });
  await ada.rest.issues.addLabels({ ...at, issue_number: pull.number, labels: ['coxswain'] });
  await ada.rest.issues.createComment({ ...at, issue_number: pull.number, body: `Hello ${hostile}` });
  const run = runThatWaits({ repository, number: pull.number, base, head });
  const ledger = ledgerOf(repository, pull.number, data);
  const remember = async () => {
    await ledger.remember(run);
    const body = writeBlock(`It fails on Mondays. ${hostile}`, run.state);
    await ada.rest.pulls.update({ ...at, pull_number: pull.number, body });
  };
  await remember();
  const liveRuns = new LiveRuns(servicesIn(data));
  const server = await serve({ ada, repository, liveRuns });
  return {
    forge,
    url: server.url,
    key,
    issue: issue.number,
    pull: pull.number,
    head,
    ada,
    run,
    remember,
    commentsOn: async (number) => {
      const { data: comments } = await ada.rest.issues.listComments({ ...at, issue_number: number });
      return comments.map(({ body }) => body ?? '');
    },
    end: async () => {
      await server.close();
      await liveRuns.close();
      await ledger.close();
      await forge.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function seed(forge: Forge, data: string): Promise<{ ada: Connection; repository: Repository }> {
  const token = forge.seed.addUser('ada');
  forge.seed.addOrganization('acme');
  const files = { 'src/clock.ts': 'export const now = () => new Date();\n' };
  await forge.seed.addRepository({ owner: 'acme', name: 'api', files });
  forge.seed.setCollaborator(name, 'ada', 'admin');
  const ada = connect({ baseUrl: forge.apiUrl, token, retryUnitMs: 0 });
  const { data: facts } = await ada.rest.repos.get(at);
  const { id, default_branch, clone_url } = facts;
  const incoming = { id, owner: at.owner, name: at.repo, default_branch, clone_url, private: facts.private };
  const own = { login: 'coxswain[bot]' };
  return {
    ada,
    repository: repositoryFrom({ repository: incoming, octokit: ada, token: async () => token, own, data }),
  };
}

async function pushBranch({ remote }: Repository): Promise<{ base: string; head: string }> {
  const copy = await workCopy();
  const token = await remote.token?.();
  const url = remote.url.replace('http://', `http://x-access-token:${token}@`);
  await copy.git('fetch', '--quiet', url, 'main');
  await copy.git('checkout', '--quiet', '-b', branch, 'FETCH_HEAD');
  const base = await copy.git('rev-parse', 'HEAD');
  const clock = `// ${hostile}\nexport const now = () => fixed ?? new Date();\n`;
  const head = await copy.commit({ 'src/clock.ts': clock, '<b>odd</b>.md': hostile });
  await copy.git('push', '--quiet', url, branch);
  await copy.remove();
  return { base, head };
}

interface RunOptions {
  readonly repository: Repository;
  readonly number: number;
  readonly base: string;
  readonly head: string;
}

function runThatWaits({ repository, number, base, head }: RunOptions): Story {
  const run = story();
  run.newCommit = () => head;
  const names = { id: `${name}#${number}`, repository_id: repository.id, owner: 'acme', repo: 'api' };
  run.starts({ ...names, number, branch, base: 'main', head: base, issue: null });
  run.agent.finishes({ summary: `Pinned the clock. ${hostile}` });
  const verifiers = verifierOutputs(settingsOf()).map((output) => ({ ...output, stdout: hostile }));
  const changes = { files: [], summary: '2 files changed, +3, -1' };
  return run.hear({ type: 'verified', hold: run.hold, head, verifiers, changes, gates: [], duration_s: 4 });
}

function ledgerOf(repository: Repository, number: number, data: string) {
  const ledger = openLedger({
    dir: join(data, 'writer'),
    remote: repository.remote,
    number,
    onFault: (fault) => Promise.reject(fault),
  });
  let told = 0;
  return {
    async remember({ events }: Story): Promise<void> {
      for (const event of events.slice(told)) await ledger.record(event, (state) => decide(state, event));
      told = events.length;
    },
    close: () => ledger.close(),
  };
}

const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };

/** The page only reads runs, and the run is an App's: this process records and never acts. */
function servicesIn(data: string): Services {
  const clock = { now: () => new Date() };
  const engine = { engage: silent, idle: async () => undefined, stop: async () => undefined };
  return {
    presenter: 'action',
    data,
    operator: {},
    configPath: '.github/coxswain.yml',
    engine,
    timers: new Timers({ clock, log }),
    clock,
    log,
  };
}

interface Serving {
  readonly ada: Connection;
  readonly repository: Repository;
  readonly liveRuns: LiveRuns;
}

async function serve({
  ada,
  repository,
  liveRuns,
}: Serving): Promise<{ url: string; close(): Promise<void> }> {
  let url = '';
  const page = createPage({
    person: ada,
    repositories: async () => [repository],
    liveRuns,
    key,
    origin: () => url,
  });
  const server = createServer(async (request, response) => {
    if (!(await page.handle(request, response))) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address object.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
