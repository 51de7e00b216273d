import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Forge, startForge } from '@coxswain/forge';
import { Installations } from '../../src/app/installations.ts';
import { git } from '../../src/git/git.ts';
import { textSha256 } from '../../src/github/marks.ts';
import { type Connection, connect } from '../../src/github/octokit/connect.ts';
import { unlimited } from '../../src/github/octokit/rate-limiter.ts';
import type { Attachments, CodeMove } from '../../src/ledger/attachments.ts';
import type { RunLedger } from '../../src/ledger/ledger.ts';
import { readSettings } from '../../src/repository/configuration.ts';
import type { Repository } from '../../src/repository/repository.ts';
import { StrangerLimit } from '../../src/repository/stranger-limit.ts';
import { checkAgain } from '../../src/runs/finish/check-again.ts';
import { mergeAgain } from '../../src/runs/finish/merge-run.ts';
import { perform } from '../../src/runs/perform.ts';
import { LiveRuns } from '../../src/runs/run/live-runs.ts';
import { Run, type Wiring } from '../../src/runs/run/run.ts';
import type { Services } from '../../src/runs/run/services.ts';
import { presenterOf } from '../../src/runs/wiring.ts';
import { act } from '../../src/steering/loop.ts';
import { begun, neverLooked } from '../../src/steering/process-state.ts';
import type { Event } from '../../src/steering/state/event.ts';
import type { Performable } from '../../src/steering/state/pending-effect.ts';
import type { Decide, Ledger } from '../../src/steering/state/ports.ts';
import type { Approval, State } from '../../src/steering/state/state.ts';
import { awaiting, shownAt } from '../github/show/state.ts';
import { registered } from './registered.ts';

export const at = { owner: 'acme', repo: 'api' } as const;
export const branch = 'coxswain/fix-1';

/** A pull request of the App on a forge, and a run whose ledger is whatever the test says it is. */
export interface GivenRun {
  readonly forge: Forge;
  readonly repository: Repository;
  readonly services: Services;
  readonly number: number;
  /** The head of the pull request when the fixture started. */
  readonly head: string;
  readonly people: { readonly ada: Connection; readonly mia: Connection };
  /** A run that waits for approval of the head, changed as given. */
  waiting(changed?: Partial<State>): State;
  /** Mia's approval of a commit, which she really gives. */
  approves(sha: string): Promise<Approval>;
  /** A process that has never seen the run, with this ledger. */
  open(state: State, services?: Partial<Services>): OpenRun;
  /** Commits to the branch as Ada; returns the new head. */
  pushes(): Promise<string>;
  /** The conclusions of our check runs of that name on a commit, oldest first. */
  conclusions(sha: string, name?: string): Promise<readonly (string | null)[]>;
  readonly warnings: readonly string[];
  end(): Promise<void>;
}

export interface OpenRun {
  readonly run: Run;
  /** The events that the process recorded. */
  readonly events: readonly Event[];
  /** The commits that were recorded together with an event, and where they were to go. */
  readonly moves: readonly CodeMove[];
  /** Does everything that the ledger calls for, until nothing is left. */
  acts(): Promise<State>;
}

export const config = (approval = '') =>
  `version: 1\nagent: { use: command, command: [sh, -c, "echo x >> notes.txt"] }\nverifiers:\n  - { name: test, run: "true" }\n${approval}`;

/** `message`: that of the commit which the run is about. */
export async function startGivenRun(approval = '', message = 'Note'): Promise<GivenRun> {
  const home = await mkdtemp(join(tmpdir(), 'coxswain-given-'));
  const forge = await startForge();
  forge.seed.addOrganization('acme');
  const files = { '.github/coxswain.yml': config(approval), 'a.txt': 'a\n' };
  await forge.seed.addRepository({ owner: 'acme', name: 'api', files });
  const person = (login: string, role: 'write' | 'maintain') => {
    const token = forge.seed.addUser(login);
    forge.seed.setCollaborator('acme/api', login, role);
    return token;
  };
  const tokens = { ada: person('ada', 'write'), mia: person('mia', 'maintain') };
  const client = (token: string) => connect({ baseUrl: forge.apiUrl, token, retryUnitMs: 0 });
  const people = { ada: client(tokens.ada), mia: client(tokens.mia) };
  const warnings: string[] = [];
  const { repository, services } = await openServices(forge, { home, warnings, reader: people.ada });
  const pushes = await pusherTo(repository, join(home, 'clone'), tokens.ada);
  await pushes(message);
  const number = await openPull(repository.octokit);
  const head = (await people.ada.rest.pulls.get({ ...at, pull_number: number })).data.head.sha;
  const reading = await readSettings(repository, services, { base: 'main' });
  if (reading.outcome !== 'configured') throw new Error('the configuration of the fixture is not valid');
  const given = { repository, services, number, settings: reading.settings };
  return {
    ...{ forge, repository, services, number, head, people, warnings },
    waiting: (changed) => waitingState(given, head, changed),
    approves: (sha) => approvalBy(people.mia, number, sha),
    open: (state, more) => openRun({ ...given, services: { ...services, ...more } }, state),
    pushes,
    conclusions: (sha, name = 'Coxswain') => conclusionsOf(repository.octokit, sha, name),
    end: async () => {
      await forge.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

interface Opening {
  readonly home: string;
  readonly warnings: string[];
  readonly reader: Connection;
}

async function openServices(forge: Forge, { home, warnings, reader }: Opening) {
  const app = registered(forge, 'acme/api');
  const silent = () => undefined;
  const addWarning = (message: string) => void warnings.push(message);
  const log = { debug: silent, info: silent, warn: addWarning, error: addWarning };
  const clock = { now: () => new Date() };
  const installations = new Installations({
    ...{ appId: app.id, privateKey: app.privateKey, apiUrl: forge.apiUrl, data: home, log },
    ...{ onMirror: async () => undefined, writeLimits: unlimited, onClient: silent },
  });
  installations.own = { login: 'coxswain[bot]', app: { id: app.id } };
  const { data } = await reader.rest.repos.get(at);
  const { id, default_branch, clone_url } = data;
  const described = { id, owner: at.owner, name: at.repo, default_branch, clone_url, private: data.private };
  const lend = () => Promise.reject(new Error('nothing is lent here'));
  const engine = { engage: silent, lend, idle: async () => undefined, stop: async () => undefined };
  const services: Services = {
    ...{ presenter: 'app', secrets: [], data: home, operator: {}, configPath: '.github/coxswain.yml' },
    ...{ engine, clock, log, renderAfterMs: 0 },
    unknownKeys: new Map(),
    strangers: new StrangerLimit(),
  };
  return { repository: installations.repository(described, app.installation), services };
}

async function openPull(app: Connection): Promise<number> {
  const { data } = await app.rest.pulls.create({
    ...at,
    head: branch,
    base: 'main',
    title: 'Fix',
    draft: true,
  });
  return data.number;
}

/** Pushes an empty commit to the branch, which begins at `main`. */
async function pusherTo(repository: Repository, cwd: string, token: string) {
  const { url } = repository.remote;
  const remote = { url, token: async () => token };
  await git(['init', '--quiet', '--bare', cwd]);
  const run = async (...args: readonly string[]) => (await git(args, { cwd, env: ada, remote })).trim();
  let tip = 'refs/remotes/main';
  await run('fetch', '--quiet', url, `main:${tip}`);
  return async (message = 'Note') => {
    tip = await run('commit-tree', `${tip}^{tree}`, '-p', tip, '-m', message);
    await run('push', '--quiet', url, `${tip}:refs/heads/${branch}`);
    return tip;
  };
}

const ada = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

type Given = Pick<GivenRun, 'repository' | 'services' | 'number'> & Pick<State, 'settings'>;

function waitingState(given: Given, head: string, changed: Partial<State> = {}): State {
  const { repository, number, settings } = given;
  const run = { id: `acme/api#${number}`, repository_id: repository.id, ...at, number, branch };
  const base = awaiting({ head, shown: shownAt(head) });
  return {
    ...base,
    run: { ...base.run, ...run, head },
    settings,
    iterations: base.iterations.slice(0, 1),
    ...changed,
  };
}

async function approvalBy(mia: Connection, issue_number: number, sha: string): Promise<Approval> {
  const body = `/approve ${sha}`;
  const { data } = await mia.rest.issues.createComment({ ...at, issue_number, body });
  const { id: comment_id, created_at: written_at, user } = data;
  return {
    id: `comment:${comment_id}`,
    by: { login: 'mia', id: user?.id ?? 0, role: 'maintain', bot: false },
    ...{ at: written_at, head_sha: sha, despite: [] },
    source: { from: 'comment', comment_id, text_sha256: textSha256(body), written_at },
  };
}

/** A run with a ledger in memory, which acts only when it is told to. */
function openRun({ repository, services, number }: Given, given: State): OpenRun {
  const events: Event[] = [];
  const moves: CodeMove[] = [];
  let newest = given;
  const take = (event: Event, decide: Decide, attachments?: Attachments) => {
    const verdict = decide(newest);
    if (verdict.outcome === 'nothing') return { state: newest, fresh: false };
    events.push(event);
    if (attachments?.code !== undefined) moves.push(attachments.code);
    newest = verdict.state;
    return { state: newest, fresh: true };
  };
  const portWith = (attachments?: Attachments): Ledger => ({
    record: async (event, decide) => take(event, decide, attachments),
    defer: (event, decide) => void take(event, decide, attachments),
  });
  const done = async () => undefined;
  const ledger: Pick<RunLedger, keyof RunLedger> = {
    ...portWith(),
    get tip() {
      return { seq: newest.seq, commit: 'c0ffee00'.repeat(5) };
    },
    withAttachments: portWith,
    recreating: () => portWith(),
    begin: () => undefined,
    read: async () => ({ state: newest, commit: '', ref: '', key: null, seen: new Set() }),
    events: async () => events,
    ...{ log: done, steps: done, readArtefact: done, flush: done, close: done },
  };
  const wiring: Wiring = {
    // A class has more than others may call.
    ledger: () => ledger as RunLedger,
    presenter: presenterOf,
    prepare: async (told) => ({ event: told as Event }),
    perform: async (effect, state, run) => {
      if (!ofOthers.includes(effect.do)) await perform(effect, state, run, runs);
    },
    finish: async (part, state, run) => {
      await (part === 'check' ? checkAgain(run, state) : mergeAgain(run, state));
    },
    ...{ fire: done, recorded: done, linksOf: async () => ({}) },
  };
  const runs = new LiveRuns(services, () => wiring).in(repository);
  const run = new Run(repository, number, services, wiring, () => undefined);
  run.newest = given;
  run.process = begun(neverLooked);
  run.resume = (state) => {
    run.newest = state;
  };
  run.withhold = done;
  const acts = async () => {
    let before: State;
    do {
      before = newest;
      run.newest = newest;
      await act(newest, { ledger, effects: run });
      await run.drawing.flush();
    } while (before !== newest);
    return newest;
  };
  return { run, events, moves, acts };
}

/** What concerns other runs is none of this one's business. */
const ofOthers: readonly Performable['do'][] = ['spawn', 'wake', 'close_issue'];

async function conclusionsOf(app: Connection, ref: string, name: string) {
  const { data } = await app.rest.checks.listForRef({ ...at, ref, check_name: name, filter: 'all' });
  return data.check_runs.toSorted((one, other) => one.id - other.id).map(({ conclusion }) => conclusion);
}
