import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxMode } from '../../steering/settings.ts';
import { searchPath } from '../environment.ts';
import { type ProcessResult, runChild } from '../process/child.ts';
import { boundingHere, examineBounding, unbounded } from './bounding.ts';
import type { Bubblewrap } from './bubblewrap.ts';
import { defaultLimits, type ResourceLimits } from './limits.ts';
import { makeFolders, type SandboxPaths } from './paths.ts';
import { bubblewrap, noSandbox, type Sandbox, sandboxSwitchedOff } from './sandbox.ts';
import { systemCallFilter } from './system-calls.ts';
import { choicesHere, chooseUser, isRootOutside, type SandboxUser } from './user.ts';

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
  if (found.asRoot && !bounding.holdsProcesses) return without(rootIsUnbounded, mode);
  return bubblewrap(found.wrapping, bounding, found.limits);
}

/** What `probeSandbox` would find, without changing anything: why there would be none, or what is not held. */
export async function examineSandbox(settings: MachineSettings = {}): Promise<SandboxFindings> {
  const found = await tryBubblewrap(settings);
  if (typeof found === 'string') return { problem: found, unbounded: null };
  const { holdsProcesses, note } = await examineBounding(found.limits);
  return { problem: found.asRoot && !holdsProcesses ? rootIsUnbounded : null, unbounded: note };
}

export interface SandboxFindings {
  /** In a sentence; null if bubblewrap works here. */
  readonly problem: string | null;
  /** What the kernel would not hold, in a sentence; null if nothing. */
  readonly unbounded: string | null;
}

function without(problem: string, mode: SandboxMode): Sandbox {
  if (mode === 'required') throw new Error(`the sandbox is required, but ${problem}`);
  return noSandbox(problem);
}

const rootIsUnbounded =
  'its programs would run as root, whose processes nothing bounds here: run Coxswain as another user';

interface Working {
  readonly wrapping: Bubblewrap;
  readonly limits: ResourceLimits;
  /** Whether programs would run as the root of this machine, for want of another user. */
  readonly asRoot: boolean;
}

/** How to use bubblewrap, or why it does not work. */
function tryBubblewrap(settings: MachineSettings): Promise<Working | string> {
  return inTemporaryFolder(async (folder) => {
    const limits = { ...defaultLimits(), ...settings.limits };
    if (systemCallFilter() === null) return `the system calls of ${process.arch} are not known`;
    const help = await run(['bwrap', '--help'], folder);
    if (help.end !== 'exited') return doesNotWork('message' in help ? help.message : ending(help));
    const wrapping = wrappingWith(settings, { limits, help: help.stdout + help.stderr });
    const problem = await problemWith(bubblewrap(wrapping, unbounded, limits), folder);
    if (problem !== null) return doesNotWork(problem);
    return { wrapping, limits, asRoot: isRootOutside() && wrapping.user({ workspace: folder }) === null };
  });
}

function doesNotWork(why: string): string {
  return `bubblewrap does not work here (${why}); ${installAdvice}`;
}

/** Some versions have options that others do not. */
function wrappingWith(
  { readable = [], user }: MachineSettings,
  { limits, help }: { readonly limits: ResourceLimits; readonly help: string },
): Bubblewrap {
  const choices = choicesHere(user);
  return {
    machine: { readable },
    options: ['--disable-userns', '--size'].filter((option) => help.includes(`${option} `)),
    limits: { processes: limits.processes, fileBytes: limits.diskBytes },
    isRoot: choices.root,
    user: ({ workspace }) => chooseUser(workspace, choices),
  };
}

/** Runs `true` as a program of an attempt would be run. */
async function problemWith(sandbox: Sandbox, root: string): Promise<string | null> {
  const folders = await makeFolders(root);
  await mkdir(folders.workspace);
  const paths: SandboxPaths = { ...folders, readable: [], freeBytesBefore: 0 };
  await sandbox.prepare(paths);
  const { argv, ended } = await sandbox.confine(['true'], paths);
  const result = await run(argv, root);
  await ended();
  if (result.end === 'not_started') return result.message;
  if (result.end === 'exited' && result.exitCode === 0) return null;
  return result.stderr.trim() || ending(result);
}

function ending(result: ProcessResult): string {
  return result.end === 'exited'
    ? `it ended with exit code ${result.exitCode}`
    : `it ended with ${result.end}`;
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

function run(argv: readonly string[], workRoot: string) {
  const request = { argv, cwd: '/', env: { PATH: searchPath() }, timeoutMs: 10_000, workRoot };
  return runChild(request, new AbortController().signal);
}
