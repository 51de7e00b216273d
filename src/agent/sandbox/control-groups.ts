import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, constants, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { type ResourceLimits, sizeText } from './limits.ts';

export interface ControlGroup {
  /** The command line that runs `argv` in the group. */
  enter(argv: readonly string[]): readonly string[];
  /** Which limit the kernel has enforced, in part of a sentence; null if none. */
  exceeded(): Promise<string | null>;
  /** Only once its programs have ended. */
  remove(): Promise<void>;
}

const wanted = ['memory', 'pids', 'cpu'];
const prefix = 'coxswain-run-';

/**
 * Opens the groups (cgroup v2) below our own, with which the kernel holds limits, where somebody has
 * delegated it to us: systemd by `Delegate=yes`, or a container with a writable cgroup. Throws with what is
 * missing.
 */
export async function openControlGroups(root = mountPoint(), self = '/proc/self/cgroup') {
  const { own, controllers } = await findControllers(root, self);
  await makeRoom(own, controllers);
  return {
    /** What can be held, of `memory`, `pids` and `cpu`. */
    controllers,
    /** A group for one program and all that it starts. */
    open: (limits: ResourceLimits) => openGroup(own, controllers, limits),
  };
}

export type ControlGroups = Awaited<ReturnType<typeof openControlGroups>>;

/** What the groups could hold that `openControlGroups` would open; it throws the same, and changes nothing. */
export async function findControllers(root = mountPoint(), self = '/proc/self/cgroup') {
  const own = await ownGroup(root, self);
  const available = words(await readFile(join(own, 'cgroup.controllers'), 'utf8'));
  const controllers = wanted.filter((name) => available.includes(name));
  if (controllers.length === 0) throw new Error('cgroup v2 has neither memory nor pids nor cpu here');
  await access(join(own, 'cgroup.subtree_control'), constants.W_OK);
  return { own, controllers };
}

/** Machines that also have the older version keep the newer one in a folder of its own. */
function mountPoint(): string {
  const beside = '/sys/fs/cgroup/unified';
  return existsSync(join(beside, 'cgroup.controllers')) ? beside : '/sys/fs/cgroup';
}

/** The folder of the group that this process is in. */
async function ownGroup(root: string, self: string): Promise<string> {
  const line = (await readFile(self, 'utf8')).split('\n').find((each) => each.startsWith('0::'));
  const own = join(root, line?.slice(3) ?? '');
  if (line === undefined || !existsSync(join(own, 'cgroup.controllers')))
    throw new Error('there is no cgroup v2 here');
  // After a restart of the App alone its process is below the group that was delegated.
  const found = basename(own) === appGroup ? join(own, '..') : own;
  // A session of somebody who is logged in has their shell in it, which is not for us to move.
  if (relative(root, found) === '' || found.endsWith('.service')) return found;
  throw new Error('the group that we are in is not that of a service or a container');
}

/** Where our own process goes: a group with groups below it may not have processes. */
const appGroup = 'coxswain-app';

async function makeRoom(own: string, controllers: readonly string[]): Promise<void> {
  for (const name of await readdir(own))
    if (name.startsWith(prefix)) await rmdir(join(own, name)).catch(() => undefined); // still in use
  // The root of all groups has no type, and may have processes.
  if (existsSync(join(own, 'cgroup.type'))) await moveProcesses(own, join(own, appGroup));
  await writeFile(join(own, 'cgroup.subtree_control'), controllers.map((name) => `+${name}`).join(' '));
}

async function moveProcesses(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const pid of words(await readFile(join(from, 'cgroup.procs'), 'utf8')))
    await writeFile(join(to, 'cgroup.procs'), pid);
}

async function openGroup(own: string, controllers: readonly string[], limits: ResourceLimits) {
  const folder = join(own, `${prefix}${randomBytes(6).toString('hex')}`);
  await mkdir(folder);
  for (const [file, value] of Object.entries(settingsFor(limits)))
    if (controllers.some((name) => file.startsWith(`${name}.`)))
      await writeFile(join(folder, file), value).catch((cause: unknown) => {
        if (!optional.includes(file)) throw cause;
      });
  const enter = 'echo $$ > "$0/cgroup.procs" && exec "$@"';
  return {
    enter: (argv: readonly string[]) => ['sh', '-c', enter, folder, ...argv],
    exceeded: () => exceededIn(folder, limits),
    remove: () => removeGroup(folder),
  };
}

function settingsFor({ memoryBytes, processes, cpus }: ResourceLimits): Readonly<Record<string, string>> {
  const periodUs = 100_000;
  return {
    'memory.max': String(memoryBytes),
    'memory.swap.max': '0',
    // One process of a program that is killed alone would leave the others waiting for it.
    'memory.oom.group': '1',
    'pids.max': String(processes),
    'cpu.max': `${cpus === null ? 'max' : Math.round(cpus * periodUs)} ${periodUs}`,
    // Coxswain itself has 100, and must be able to answer.
    'cpu.weight': '50',
  };
}

/** Kernels without swap have no setting for it. */
const optional = ['memory.swap.max', 'memory.oom.group'];

async function exceededIn(folder: string, { memoryBytes, processes }: ResourceLimits) {
  const count = async (file: string, key: string): Promise<number> => {
    const text = await readFile(join(folder, file), 'utf8').catch(() => ''); // not all controllers
    const line = text.split('\n').find((each) => each.startsWith(`${key} `));
    return Number(line?.slice(key.length + 1) ?? 0);
  };
  if ((await count('memory.events', 'oom_kill')) > 0) return `more memory than ${sizeText(memoryBytes)}`;
  return (await count('pids.events', 'max')) > 0 ? `more than ${processes} processes` : null;
}

const removalTries = 20;

/**
 * The kernel takes a moment to forget processes that were killed. A program of our own user can have made
 * groups below its own.
 */
async function removeGroup(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // removed already
  for (const entry of entries) if (entry.isDirectory()) await removeGroup(join(folder, entry.name));
  for (let left = removalTries; left > 0; left--) {
    const removed = await rmdir(folder).then(
      () => true,
      () => !existsSync(folder),
    );
    if (removed) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
