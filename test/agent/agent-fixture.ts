import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type AttemptResources,
  adapters,
  type Live,
  probeSandbox,
  verify,
  work,
} from '../../src/agent/index.ts';
import { type Mirror, openMirror } from '../../src/git/mirror.ts';
import type { LeaseId } from '../../src/steering/shapes/standing.ts';
import type { State } from '../../src/steering/state/state.ts';
import { sharedFolder } from '../setup/run-folder.ts';
import { iterationOf, settingsOf, stateOf } from './states.ts';

/** A sandbox where bubblewrap works on this machine; tests that need one have the tag `bubblewrap`. */
export const probed = await probeSandbox('preferred');

/** For tests of what must be so both in a sandbox and without one. */
export const places = [
  { kind: 'bubblewrap', sandbox: probed, tags: ['bubblewrap'] },
  { kind: 'none', sandbox: await probeSandbox('off'), tags: [] },
];

/** A repository on disk, its mirror, and the resources of an attempt; removed after the test. */
export interface AgentFixture {
  readonly mirror: Mirror;
  readonly resources: AttemptResources;
  readonly head: string;
  readonly root: string;
  git(...args: readonly string[]): string;
}

type Files = Readonly<Record<string, string>>;

export async function agentFixture(
  files: Files,
  resources: Partial<AttemptResources> = {},
): Promise<AgentFixture> {
  const { folder, head } = templateOf(files);
  const root = temporaryFolder();
  cpSync(folder, root, { recursive: true });
  // No remote is needed: agents and verifiers work on what has been fetched already.
  const remote = { url: 'file:///nowhere' };
  const mirror = await openMirror({ dir: join(root, 'mirror.git'), remote });
  return {
    mirror,
    root,
    head,
    git: (...args) => execFileSync('git', args, { cwd: mirror.dir, encoding: 'utf8' }).trim(),
    resources: {
      mirror,
      workRoot: join(root, 'work'),
      sandbox: probed,
      adapters,
      secrets: [],
      ...resources,
    },
  };
}

const templates = new Map<string, { folder: string; head: string }>();

/** A mirror with one commit, made once for each set of files and copied for each test, until the run ends. */
function templateOf(files: Files): { folder: string; head: string } {
  const key = JSON.stringify(files);
  const known = templates.get(key);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(sharedFolder(), 'template-'));
  const origin = join(folder, '..', `${basename(folder)}.origin`);
  const inOrigin = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: origin,
      encoding: 'utf8',
    }).trim();
  mkdirSync(origin);
  put(origin, files);
  inOrigin('init', '-q', '-b', 'main');
  inOrigin('add', '-A', '-f');
  inOrigin('commit', '-q', '--allow-empty', '-m', 'Begin');
  inOrigin('clone', '-q', '--bare', '--no-hardlinks', origin, join(folder, 'mirror.git'));
  const template = { folder, head: inOrigin('rev-parse', 'HEAD') };
  rmSync(origin, { recursive: true });
  templates.set(key, template);
  return template;
}

/** For `pruneWorkspaces`, where everything can be removed. */
export function failOnLeft(problem: string): void {
  throw new Error(problem);
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function put(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content, { mode: 0o755 });
  }
}

export const hold: LeaseId = { iteration: 0, attempt: 1, holder: 'test' };

export const default_branch = 'main';

/** Runs a shell script as the agent of an attempt. */
export function workBy(
  script: string,
  on: AgentFixture,
  { state = {}, signal = new AbortController().signal, settings = {} }: AttemptOptions = {},
) {
  const agent = { use: 'command', command: ['sh', '-c', script], timeout_s: 20 } as const;
  const whole = stateOf({ head: on.head, settings: settingsOf({ agent, ...settings }), ...state });
  const assignment = { state: whole, hold: holdOf(whole), commit: on.head, default_branch };
  return work(assignment, on.resources, { signal, live: agreeing });
}

/** People who let an agent do whatever it asks for. */
export const agreeing: Live = {
  ask: async () => ({ allowed: true, why: '' }),
  question: async () => ({ kind: 'parked' }),
  awaitsAnswer: () => false,
  attend: () => () => undefined,
  progress: () => undefined,
  allowedRules: () => [],
  limits: () => ({ minutes: 60 }),
};

interface AttemptOptions {
  readonly state?: Partial<State>;
  readonly settings?: Partial<State['settings']>;
  readonly signal?: AbortSignal;
}

interface Watching extends Omit<Parameters<typeof verify>[2], 'signal'> {
  readonly commit?: string;
  readonly from?: string;
}

/** Runs these verifiers on a commit, by default the head. */
export function verifyBy(
  run: Readonly<Record<string, string>>,
  on: AgentFixture,
  {
    signal = new AbortController().signal,
    settings = {},
    state: known = {},
    commit = on.head,
    from = commit,
    ...watching
  }: AttemptOptions & Watching = {},
) {
  const verifiers = Object.entries(run).map(([name, line]) => ({
    name,
    run: line,
    timeout_s: 20,
    required: true,
  }));
  const iterations = [iterationOf(0, { head_before: from })];
  const state = stateOf({
    head: commit,
    iterations,
    settings: settingsOf({ verifiers, ...settings }),
    ...known,
  });
  return verify({ state, hold, commit, default_branch }, on.resources, { signal, ...watching });
}

function holdOf({ iteration }: State): LeaseId {
  return { ...hold, iteration };
}
