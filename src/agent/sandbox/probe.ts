import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxMode } from '../../steering/shapes/settings.ts';
import { runTool } from '../process/tool.ts';
import { type Bounding, boundingHere, unbounded } from './bounding.ts';
import type { Bubblewrap } from './bubblewrap.ts';
import { findControllers } from './control-groups.ts';
import { defaultLimits, type ResourceLimits, uncountedProcesses } from './limits.ts';
import { makeFolders, type SandboxPaths } from './paths.ts';
import { bubblewrap, noSandbox, type Sandbox, sandboxSwitchedOff } from './sandbox.ts';
import { systemCallFilter } from './system-calls.ts';
import { isRootOutside, type SandboxUser, usersHere } from './user.ts';

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
