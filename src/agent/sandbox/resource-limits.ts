import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, constants, mkdir, readdir, readFile, rmdir, statfs, writeFile } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { basename, join, relative } from 'node:path';
import { runProcessGroup } from '../../process/process-group.ts';
import { runTool } from '../process/child.ts';
import { searchPath, sessionOfSystemd } from '../process/program-environment.ts';
import type { SandboxPaths } from './folders.ts';

/** What the programs of one attempt may use of this machine. */
export interface ResourceLimits {
  readonly memoryBytes: number;
  /** How many processes and threads they may be together. */
  readonly processes: number;
  /** How many processors they may keep busy; null: all. */
  readonly cpus: number | null;
  readonly diskBytes: number;
}

const gibibyte = 1024 ** 3;

/** Enough for the builds of most projects, and too little to take the machine from the others. */
export function defaultLimits(): ResourceLimits {
  const memoryBytes = Math.floor(totalmem() * 0.75);
  return { memoryBytes, processes: 4096, cpus: null, diskBytes: 10 * gibibyte };
}

/** How many an attempt may have where no cgroup counts them: enough for Gradle, Chromium and Vitest. */
export const uncountedProcesses = 1024;

/** `4 GiB`, `512 MiB`, as people write sizes. */
function sizeText(bytes: number): string {
  const size = bytes >= gibibyte ? bytes / gibibyte : bytes / 1024 ** 2;
  return `${Math.round(size * 10) / 10} ${bytes >= gibibyte ? 'GiB' : 'MiB'}`;
}

/** How the kernel keeps programs within their limits here. */
export interface Bounding {
  /** Whether it holds their memory; otherwise it is watched. */
  readonly holdsMemory: boolean;
  /** Whether it holds how many they are; otherwise each user's are counted, but not those of root. */
  readonly holdsProcesses: boolean;
  /** What is not held, in a sentence for the operator; null if everything is. */
  readonly note: string | null;
  /** Opens what holds one program. */
  open(): Promise<ControlGroup>;
}

/**
 * Control groups that are delegated to us, else scopes of systemd, else none. `find`: whoever only wants to
 * know takes `findControllers`, which changes nothing.
 */
export async function boundingHere(
  limits: ResourceLimits,
  find: () => Promise<Pick<ControlGroups, 'controllers'> & Partial<ControlGroups>> = openControlGroups,
): Promise<Bounding> {
  const groups = await find().catch(reasonOf);
  if (typeof groups !== 'string') {
    const missing = wanted.filter((name) => !groups.controllers.includes(name));
    return {
      holdsMemory: !missing.includes('memory'),
      holdsProcesses: !missing.includes('pids'),
      note: missing.length === 0 ? null : `cgroup v2 does not bound ${missing.join(' and ')} here`,
      open: async () => groups.open?.(limits) ?? nothing,
    };
  }
  const problem = await problemWithScopes(limits);
  if (problem !== null) return { ...unbounded, note: whatIsMissing(groups, problem) };
  const scope = { ...nothing, enter: (argv: readonly string[]) => inScope(argv, limits) };
  return { holdsMemory: true, holdsProcesses: true, note: null, open: async () => scope };
}

function whatIsMissing(groups: string, scopes: string): string {
  return (
    `memory is only watched and processors are not bounded here, because ${groups} and ${scopes}: ` +
    'run Coxswain as a service of systemd with `Delegate=yes`, or in a container with a cgroup of its own'
  );
}

const nothing: ControlGroup = {
  enter: (argv) => argv,
  exceeded: async () => null,
  remove: async () => undefined,
};

/** The kernel holds nothing but the limits of each process. */
export const unbounded: Bounding = {
  ...{ holdsMemory: false, holdsProcesses: false, note: null },
  open: async () => nothing,
};

function reasonOf(fault: unknown): string {
  if (fault instanceof Error && !('code' in fault)) return fault.message;
  return 'no cgroup is delegated to us';
}

/**
 * The command line that runs `argv` in a scope of systemd, for a machine where no cgroup is delegated to us:
 * root's, or the user's own. It takes from the program what only systemd needed.
 */
function inScope(argv: readonly string[], { memoryBytes, processes, cpus }: ResourceLimits) {
  const properties = [
    ...[`MemoryMax=${memoryBytes}`, 'MemorySwapMax=0', `TasksMax=${processes}`, 'CPUWeight=50'],
    ...(cpus === null ? [] : [`CPUQuota=${Math.round(cpus * 100)}%`]),
  ];
  return [
    ...['systemd-run', ...(process.getuid?.() === 0 ? [] : ['--user']), '--scope', '--quiet', '--collect'],
    ...properties.flatMap((property) => ['-p', property]),
    ...['--', 'env', ...Object.keys(sessionOfSystemd()).flatMap((name) => ['-u', name]), ...argv],
  ];
}

/** Whether systemd makes such scopes here; otherwise why not, in part of a sentence. */
async function problemWithScopes(limits: ResourceLimits): Promise<string | null> {
  const options = { env: sessionOfSystemd(), timeoutMs: 10_000 };
  const { succeeded, end, said } = await runTool(inScope(['true'], limits), options);
  if (succeeded) return null;
  return end === 'not_started' ? 'there is no systemd-run' : `systemd-run failed: ${said.split('\n', 1)[0]}`;
}

interface ControlGroup {
  /** The command line that runs `argv` in the group. */
  enter(argv: readonly string[]): readonly string[];
  /** Which limit the kernel has enforced, in part of a sentence; null if none. */
  exceeded(): Promise<string | null>;
  /** Removes the group, which only works once its programs have ended. */
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

type ControlGroups = Awaited<ReturnType<typeof openControlGroups>>;

/**
 * What the groups could hold that `openControlGroups` would open; it throws the same, and changes nothing.
 */
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

interface Watched {
  /** The first process of the program. */
  readonly leader: number;
  readonly paths: SandboxPaths;
  readonly limits: ResourceLimits;
  /** Whether a cgroup holds the limit on memory. */
  readonly memoryHeld: boolean;
  /** Whether a cgroup holds that on processes, and tells when it is met. */
  readonly processesHeld: boolean;
}

const everyMs = 1000;

/**
 * Looks each second at what no limit of the kernel holds: the disk, and without cgroups the memory. Calls
 * back once, with what the program used too much of in part of a sentence. Returns how to stop watching.
 */
export function watch(watched: Watched, onExceeded: (what: string) => void): () => void {
  let stopped = false;
  const look = async (): Promise<void> => {
    // A folder that is just being removed cannot be measured, and its program has ended.
    const found = await problemWith(watched).catch(() => null);
    if (found !== null && !stopped) onExceeded(found);
    else if (!stopped) timer = setTimeout(look, everyMs);
  };
  let timer = setTimeout(look, everyMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Below this, everybody's programs fail, ours included. */
const machineReserve = { memory: 0.03, disk: 0.01, files: 0.01 };

async function problemWith({ leader, paths, limits, ...held }: Watched): Promise<string | null> {
  const { bsize, blocks, bavail, files, ffree } = await statfs(paths.root);
  if (bavail < blocks * machineReserve.disk) return 'the last space on the disk of this machine';
  if (ffree < files * machineReserve.files) return 'the last places for files on the disk of this machine';
  // What all programs together have written says whether it is worth while to measure this one.
  const takenByAll = paths.freeBytesBefore - bsize * bavail;
  const used = takenByAll < limits.diskBytes / 2 ? 0 : ((await sizeOf(paths.root)) ?? takenByAll);
  if (used > limits.diskBytes) return `more disk than ${sizeText(limits.diskBytes)}`;
  if (held.memoryHeld && held.processesHeld) return null;
  if (freemem() < totalmem() * machineReserve.memory) return 'the last memory of this machine';
  const { memory, processes } = await usedBelow(leader);
  // The kernel lets it start no more than that.
  if (!held.processesHeld && processes >= limits.processes * nearlyAll)
    return `all ${limits.processes} processes and threads that it may have`;
  if (held.memoryHeld || memory <= limits.memoryBytes) return null;
  return `more memory than ${sizeText(limits.memoryBytes)}`;
}

/** From this part on, a program has met the limit: what it starts fails, and others end. */
const nearlyAll = 0.95;

/** Bytes on the disk. Null for too many files, or a folder that we may not read: neither may hide any. */
async function sizeOf(folder: string): Promise<number | null> {
  let [text, denied] = ['', false];
  const { end } = await runProcessGroup(['du', '-skx', folder], {
    env: { PATH: searchPath(), LC_ALL: 'C' },
    timeoutMs: 20_000,
    onStdout: (chunk) => (text += chunk.toString()),
    // Most are of files that were removed in the meantime.
    onStderr: (chunk) => (denied ||= chunk.includes('Permission denied')),
  });
  return end !== 'exited' || denied ? null : Number.parseInt(text, 10) * 1024 || 0;
}

/**
 * Of a process and all that it has started: the memory that they do not share with others, in bytes of pages
 * of 4 KiB, and how many processes and threads they are.
 */
async function usedBelow(leader: number) {
  // A process may have ended in the meantime.
  const read = (path: string) => readFile(`/proc/${path}`, 'utf8').catch(() => '');
  const parents = new Map<number, number>();
  const threads = new Map<number, number>();
  for (const pid of (await readdir('/proc')).map(Number).filter(Number.isInteger)) {
    // The second field is the program's name, in parentheses, and may contain anything.
    const fields = (await read(`${pid}/stat`)).replace(/^.*\) /s, '').split(' ');
    parents.set(pid, Number(fields[1] ?? 0));
    threads.set(pid, Number(fields[17] ?? 0));
  }
  const isBelow = (pid = 0): boolean => pid === leader || (pid > 1 && isBelow(parents.get(pid)));
  const tree = [...parents.keys()].filter(isBelow);
  const sizes = await Promise.all(tree.map((pid) => read(`${pid}/statm`)));
  const pages = sizes.map((text) => text.split(' ').map(Number));
  const memory = pages.reduce((sum, [, all = 0, shared = 0]) => sum + Math.max(all - shared, 0) * 4096, 0);
  return { memory, processes: tree.reduce((sum, pid) => sum + (threads.get(pid) ?? 0), 0) };
}
