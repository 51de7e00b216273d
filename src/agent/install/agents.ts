import { realpathSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runExclusive } from '../../git/keyed-mutex.ts';
import { type ProfileName, profileOf } from '../../profiles/index.ts';
import type { Launch, Profile } from '../../profiles/profile.ts';
import type { ProtocolAgent } from '../../steering/shapes/settings.ts';
import { runChild } from '../process/child.ts';
import { environment, pathOf } from '../process/program-environment.ts';
import { isSystem } from '../sandbox/mounts.ts';
import { type InstallOptions, installed, lockedPackageOf } from './installer.ts';

/** How an agent is started on this machine, or what to do so that it can be. */
export type Ready =
  | {
      readonly kind: 'ready';
      /** The program with what comes before its arguments; the whole command if one was given. */
      readonly argv: readonly string[];
      /** What the sandbox has to show for it, read-only. */
      readonly readable: readonly string[];
      /** Null for a program that we do not know. */
      readonly version: string | null;
    }
  /** `problem` tells people in sentences what is missing, with the command that helps. */
  | { readonly kind: 'missing'; readonly problem: string };

/** Which agents may be installed where they are missing. */
export type MayInstall = boolean | readonly ProfileName[];

interface AgentsOptions extends Omit<InstallOptions, 'workRoot'> {
  readonly mayInstall: MayInstall;
}

/** Only agents that are there already are found: nothing is installed. */
export const agentsOnPath: AgentsOptions = { cache: '', mayInstall: false, log: () => undefined };

/** For whom an agent is looked for. */
export interface Wanted {
  /** What runs is registered below this folder. */
  readonly workRoot: string;
  /** The configuration names it, and it is started instead of the agent's own. */
  readonly command?: readonly string[] | undefined;
}

/** The agents of this machine. */
export interface Agents {
  /**
   * Looks for an agent, by its command if it has one, then on the search path, then among those that were
   * installed; and installs it if it may. Rejects only for a fault of ours.
   */
  ready(agent: Profile, wanted: Wanted): Promise<Ready>;
}

/** Nothing is looked for or installed before an agent is needed. */
export function openAgents(options: AgentsOptions): Agents {
  const versions = new Versions();
  return {
    ready: (agent, wanted) =>
      runExclusive(`${options.cache} ${agent.name}`, () => look(agent, { ...options, ...wanted, versions })),
  };
}

interface Looking extends AgentsOptions, Wanted {
  readonly versions: Versions;
}

async function look(agent: Profile, looking: Looking): Promise<Ready> {
  const { command } = looking;
  const { launch, title } = agent;
  // Another program may be one of the repository's, which nobody runs outside of the sandbox.
  const isOther = command !== undefined && command[0] !== launch.bin;
  if (isOther || agent.name === 'acp') {
    return { kind: 'ready', argv: command ?? [launch.bin], readable: [], version: null };
  }
  const found = await onPath(launch, looking);
  if ('version' in found) {
    const { path, version } = found;
    return { kind: 'ready', argv: [path, ...(command?.slice(1) ?? [])], readable: [], version };
  }
  const isAllowed = command === undefined && allows(looking.mayInstall, agent);
  if (!isAllowed || launch.package === undefined) {
    return { kind: 'missing', problem: `${title} is not here: ${found.problem}. ${advice(agent)}` };
  }
  const installing = await install(agent, looking);
  if (!('problem' in installing)) return installing;
  const problem = `${title} could not be installed: ${installing.problem}. ${byHand(agent)}.`;
  return { kind: 'missing', problem };
}

type OnPath = { readonly path: string; readonly version: string } | { readonly problem: string };

async function onPath({ bin, package: pinned }: Launch, { versions, workRoot }: Looking): Promise<OnPath> {
  const path = pathOf(bin);
  if (path === bin) return { problem: `there is no program \`${bin}\` on the search path` };
  const said = await versions.of([path], workRoot);
  if ('problem' in said) return { problem: `${path} cannot be used: ${said.problem}` };
  const expected = pinned?.version;
  if (expected === undefined || !isOlder(said.version, expected)) return { path, version: said.version };
  return {
    problem: `${path} has the version ${said.version}, and Coxswain needs ${expected} or a newer one`,
  };
}

function allows(mayInstall: MayInstall, { name }: Profile): boolean {
  return typeof mayInstall === 'boolean' ? mayInstall : mayInstall.some((each) => each === name);
}

function advice(agent: Profile): string {
  if (agent.launch.package === undefined) return `${byHand(agent)}.`;
  return `${byHand(agent)}, or let Coxswain do it: \`install: [${agent.name}]\` in the operator's file.`;
}

/** What people can do themselves. */
function byHand({ launch: { package: pinned, page } }: Profile): string {
  if (pinned === undefined) return `Install it as ${page} says`;
  return `Install it with \`npm install --global ${pinned.name}@${pinned.version}\``;
}

async function install(agent: Profile, looking: Looking): Promise<Ready | { readonly problem: string }> {
  const { package: pinned } = agent.launch;
  const locked = await lockedPackageOf(agent);
  if (pinned === undefined || locked === null) return { problem: 'there is no package of it' };
  if (locked.problem !== null) return { problem: locked.problem };
  // The very Node.js that we are: in the Action there need not be another.
  const node = pinned.program.endsWith('.js') ? [process.execPath] : [];
  const start = (folder: string) => [...node, join(folder, pinned.program)];
  const check = async (folder: string): Promise<string | null> => {
    const said = await looking.versions.of(start(folder), looking.workRoot);
    if ('problem' in said) return said.problem;
    return said.version === pinned.version
      ? null
      : `it says that it is ${said.version}, not ${pinned.version}`;
  };
  const result = await installed(agent, locked, { ...looking, check });
  if ('problem' in result) return result;
  const { folder } = result;
  const readable = [folder, ...node.map((path) => realpathSync(path)).filter((path) => !isSystem(path))];
  return { kind: 'ready', argv: start(folder), readable, version: pinned.version };
}

/** Whether an agent is on the search path and tells its version; installs nothing. */
export function examineAgent(choice: ProtocolAgent, workRoot: string): Promise<Ready> {
  return openAgents(agentsOnPath).ready(profileOf(choice), { workRoot, command: choice.command });
}

/** What a program says of its version, or why nothing is known of it, in part of a sentence. */
type Version = { readonly version: string } | { readonly problem: string };

const timeoutMs = 60_000;

/** Asks a program for its version, with nothing of ours in its environment and a home of its own. */
async function versionOf(argv: readonly string[], workRoot: string): Promise<Version> {
  const home = await mkdtemp(join(tmpdir(), 'coxswain-version-'));
  try {
    const env = environment({ home, temp: home });
    const request = { argv, cwd: home, env, timeoutMs, workRoot, keepBytes: 64 * 1024 };
    const result = await runChild(request, new AbortController().signal);
    const line = argv.slice(-2).join(' ');
    if (result.end === 'not_started') return { problem: `it cannot be started: ${result.message}` };
    if (result.end !== 'exited') return { problem: `\`${line}\` ended with ${result.end}` };
    const said = (result.stderr.trim() || result.stdout.trim()).slice(-300);
    if (result.exitCode !== 0)
      return { problem: `\`${line}\` ended with exit code ${result.exitCode}: ${said}` };
    const version = versionIn(result.stdout);
    return version === undefined ? { problem: `\`${line}\` names no version: ${said}` } : { version };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The first thing in a text that looks like a version. */
export function versionIn(text: string): string | undefined {
  return /(?<![\w.-])v?(\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[\w.]{1,40})?)(?![\w-])/
    .exec(text)?.[1]
    ?.replace(/\.$/, '');
}

/** Whether one version comes before another. Of two with the same numbers, one with a suffix does. */
export function isOlder(version: string, than: string): boolean {
  const [own, other] = [numbersOf(version), numbersOf(than)];
  const at = own.findIndex((number, index) => number !== other[index]);
  if (at !== -1) return (own[at] ?? 0) < (other[at] ?? 0);
  return version.includes('-') && !than.includes('-');
}

function numbersOf(version: string): readonly number[] {
  return version.split('-', 1).flatMap((numbers) => numbers.split('.').map(Number));
}

/** The versions of programs, each asked once as long as it stays the same file. */
class Versions {
  readonly #known = new Map<string, Version>();

  /** Asks a program, with what comes before its arguments; it is registered below `workRoot`. */
  async of(start: readonly string[], workRoot: string): Promise<Version> {
    const argv = [...start, '--version'];
    const file = statSync(start.at(-1) ?? '', { throwIfNoEntry: false });
    if (file === undefined) return { problem: `there is no ${start.at(-1)}` };
    const key = JSON.stringify([argv, file.ino, file.size, file.mtimeMs]);
    const version = this.#known.get(key) ?? (await versionOf(argv, workRoot));
    if ('version' in version) this.#known.set(key, version);
    return version;
  }
}
