import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxMode } from '../../steering/shapes/settings.ts';
import { endingOf } from '../../text/characters.ts';
import { runTool } from '../process/child.ts';
import type { Bubblewrap } from './bubblewrap.ts';
import { makeFolders, type SandboxPaths } from './folders.ts';
import { isRootOutside, type SandboxUser, systemCallFilter, usersHere } from './privileges.ts';
import {
  type Bounding,
  boundingHere,
  defaultLimits,
  findControllers,
  type ResourceLimits,
  unbounded,
  uncountedProcesses,
} from './resource-limits.ts';
import { bubblewrap, noSandbox, type Sandbox, sandboxSwitchedOff } from './sandbox.ts';

/** What the operator says about this machine. */
export interface MachineSettings {
  /** Folders and files that programs may read besides those of the system, such as a toolchain or a cache. */
  readonly readable?: readonly string[];
  /** Whom programs run as if we are root; without, a user that nobody else is. */
  readonly user?: SandboxUser;
  readonly limits?: Partial<ResourceLimits>;
}

const installAdvice = [
  'install it with `apt install bubblewrap` (Debian, Ubuntu) or `dnf install bubblewrap` (Fedora)',
  'where it is installed but AppArmor forbids it (Ubuntu 24.04), allow it with' +
    ' `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0` or a profile for bwrap',
].join('; ');

/** Checks whether bubblewrap works here. Throws when it is required and does not. */
export async function probeSandbox(mode: SandboxMode, settings: MachineSettings = {}): Promise<Sandbox> {
  if (mode === 'off') return sandboxSwitchedOff;
  const found = await tryBubblewrap(settings);
  if (typeof found === 'string') return without(found, mode);
  const bounding = await boundingHere(found.limits);
  const problem = problemWithRoot(found, bounding);
  if (problem !== null) return without(problem, mode);
  const isUncounted = !bounding.holdsProcesses && settings.limits?.processes === undefined;
  const limits = { ...found.limits, ...(isUncounted && { processes: uncountedProcesses }) };
  return bubblewrap({ ...found, limits }, bounding);
}

/**
 * What `probeSandbox` would find, without changing anything, in a sentence each: why bubblewrap does not
 * work, and what the kernel would not hold; null if it does, and if nothing.
 */
export async function examineSandbox(settings: MachineSettings = {}) {
  const found = await tryBubblewrap(settings);
  if (typeof found === 'string') return { problem: found, unbounded: null };
  const bounding = await boundingHere(found.limits, findControllers);
  return { problem: problemWithRoot(found, bounding), unbounded: bounding.note };
}

function without(problem: string, mode: SandboxMode): Sandbox {
  if (mode === 'required') throw new Error(`the sandbox is required, but ${problem}`);
  return noSandbox(problem);
}

/** Programs may run as the root of this machine, for want of another user, only where they are counted. */
function problemWithRoot(found: Bubblewrap, { holdsProcesses }: Bounding): string | null {
  if (holdsProcesses || !isRootOutside() || found.user({ workspace: '/' }) !== null) return null;
  return 'its programs would run as root, whose processes nothing bounds here: run Coxswain as another user';
}

const timeoutMs = 10_000;

/** How to use bubblewrap, or why it does not work. */
function tryBubblewrap(settings: MachineSettings): Promise<Bubblewrap | string> {
  return inTemporaryFolder(async (folder) => {
    if (systemCallFilter() === null) return `the system calls of ${process.arch} are not known`;
    const help = await runTool(['bwrap', '--help'], { timeoutMs });
    if (help.end !== 'exited') return doesNotWork(help.said || `it ${help.how}`);
    const wrapping = {
      readable: settings.readable ?? [],
      // Some versions have options that others do not.
      options: ['--disable-userns', '--size'].filter((each) => help.said.includes(`${each} `)),
      limits: { ...defaultLimits(), ...settings.limits },
      ...usersHere(settings.user),
    };
    const problem = await problemWith(bubblewrap(wrapping, unbounded), folder);
    return problem === null ? wrapping : doesNotWork(problem);
  });
}

function doesNotWork(why: string): string {
  return `bubblewrap does not work here (${why}); ${installAdvice}`;
}

/** Runs `true` as a program of an attempt would be run. */
async function problemWith(sandbox: Sandbox, root: string): Promise<string | null> {
  const folders = await makeFolders(root);
  await mkdir(folders.workspace);
  const paths: SandboxPaths = { ...folders, readable: {}, freeBytesBefore: 0 };
  await sandbox.prepare(paths);
  const { argv, ended } = await sandbox.confine(['true'], paths);
  const { succeeded, said, how } = await runTool(argv, { timeoutMs });
  await ended();
  return succeeded ? null : said || `it ${how}`;
}

async function inTemporaryFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-probe-')).catch((cause: unknown) => {
    throw new Error(`could not make a temporary folder in ${tmpdir()}: does TMPDIR name one?`, { cause });
  });
  try {
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The sandbox of a machine with `apt-get` and `sudo` that is thrown away afterwards, such as a runner of
 * GitHub's: what is missing for bubblewrap is installed. Without a sandbox, its `problem` names the commands
 * that failed, with their output. `say` receives each command.
 */
export async function installSandbox(
  machine: MachineSettings,
  say: (text: string) => void,
): Promise<Sandbox> {
  const failures: string[] = [];
  let found = await probeSandbox('preferred', machine);
  for (const step of steps) {
    if (found.kind !== 'none') return found;
    failures.push(...(await step(say)));
    found = await probeSandbox('preferred', machine);
  }
  if (found.kind !== 'none' || failures.length === 0) return found;
  return noSandbox(`${failures.join('; ')}; and ${found.problem}`);
}

/** Each returns what failed. They are taken in order, until bubblewrap works. */
const steps = [installPackage, allowBubblewrap, allowEveryone];

type Say = (text: string) => void;

/** The lists of packages on a runner may be older than the packages on the server. */
async function installPackage(say: Say): Promise<readonly string[]> {
  if ((await runTool(['bwrap', '--version'], { timeoutMs: longestS * 1000 })).succeeded) return [];
  const install = [...aptGet, 'install', '--yes', '--no-install-recommends', 'bubblewrap'];
  if ((await asRoot(install, say)).length === 0) return [];
  const updated = await asRoot([...aptGet, 'update'], say);
  const again = await asRoot(install, say);
  return again.length === 0 ? [] : [...updated, ...again];
}

/** The first boot of a machine may still hold the lock, and mirrors fail now and then. */
const aptGet = ['apt-get', '-o', 'DPkg::Lock::Timeout=60', '-o', 'Acquire::Retries=3'];

/**
 * Ubuntu 24.04 allows user namespaces only to programs with such a profile:
 * https://discourse.ubuntu.com/t/ubuntu-24-04-lts-noble-numbat-release-notes/39890
 */
async function allowBubblewrap(say: Say): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-apparmor-'));
  const file = join(folder, 'bwrap');
  await writeFile(file, profile);
  const failures = await asRoot(['apparmor_parser', '--replace', file], say);
  await rm(folder, { recursive: true, force: true });
  return failures;
}

const profile = `abi <abi/4.0>,
include <tunables/global>

profile bwrap /usr/bin/bwrap flags=(unconfined) {
  userns,
}
`;

/** Lets every program make user namespaces, where AppArmor does not take the profile. */
function allowEveryone(say: Say): Promise<readonly string[]> {
  return asRoot(['sysctl', '-w', 'kernel.apparmor_restrict_unprivileged_userns=0'], say);
}

/** The longest that one command may take, in seconds. */
const longestS = 180;

/**
 * Runs a command as root, with `timeout` inside of `sudo`: we may not end processes of root ourselves. A job in
 * a container is root already, and its image may have no `sudo`. Returns what failed.
 */
async function asRoot(argv: readonly string[], say: Say): Promise<readonly string[]> {
  say(`installing the sandbox: ${argv.join(' ')}`);
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const limited = [...sudo, 'timeout', '--kill-after=10', String(longestS), ...argv];
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const { succeeded, how, said } = await runTool(limited, { timeoutMs: 2 * longestS * 1000, env });
  const output = said === '' ? '' : `: ${endingOf(said, 500)}`;
  return succeeded ? [] : [`\`${[...sudo.slice(0, 1), ...argv].join(' ')}\` ${how}${output}`];
}
