import { existsSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf } from '../environment.ts';
import { hostMounts, type Machine } from './host-mounts.ts';
import { type ProgramLimits, withRlimits } from './limits.ts';
import { argumentsFor, emptyFile, insteadOf, type Mount, madeMounts, readOnly } from './made-files.ts';
import type { Confinement, SandboxPaths } from './paths.ts';
import type { SandboxUser } from './user.ts';

/** What this machine and its bubblewrap can do. */
export interface Bubblewrap {
  readonly machine: Machine;
  /** Options of newer versions that it has, such as `--disable-userns`. */
  readonly options: readonly string[];
  readonly limits: ProgramLimits;
  readonly isRoot: boolean;
  /** Whom programs run as when we are root; null: the user that we are. */
  user(paths: Pick<SandboxPaths, 'workspace'>): SandboxUser | null;
}

/**
 * The command line that runs `argv` in bubblewrap.
 *
 * Namespaces of its own for processes (otherwise a child could read our environment, and with it every key),
 * network, users, IPC and host name; of the file system only what is listed, read-only except the attempt's
 * workspace, home and temporary folder; no capabilities; killed when we die.
 */
export function bubblewrapped(
  argv: readonly string[],
  paths: SandboxPaths,
  { confinement = {}, ...wrap }: Bubblewrap & { readonly confinement?: Confinement },
): readonly string[] {
  const user = wrap.user(paths);
  const program = [...newSession(), ...withRlimits(argv, wrap.limits)];
  const asRoot = user === null && wrap.isRoot;
  const kernel = [...kernelFiles, ...(asRoot ? [kernelSettings] : [])].filter(existsSync).map(readOnly);
  const seen = fileSystem(paths, { confinement, ...wrap });
  const view = ['bwrap', ...namespaces(confinement), ...seen, ...kernel.flatMap(({ args }) => args)];
  const users = ownUsers(wrap, asRoot ? { namespaces: true } : confinement);
  if (user === null) return [...view, ...users, ...noCapabilities, '--', ...program];
  // Only root can show what the other user cannot reach by itself, such as folders in a private one.
  const inner = [pathOf('bwrap'), ...users, '--dev-bind', '/', '/', '--chdir', paths.workspace];
  return [...view, ...toBecome, '--', ...become(user), ...inner, '--die-with-parent', '--', ...program];
}

/**
 * A session for the program alone, so that its `kill 0` does not reach bubblewrap. bubblewrap's own
 * `--new-session` would also take the sandbox's init process out of the group that we kill: an attempt that is
 * cancelled while the sandbox is set up would then go on, because `--die-with-parent` takes effect only later.
 */
function newSession(): readonly string[] {
  return [pathOf('setsid')];
}

const noCapabilities = ['--cap-drop', 'ALL'];

const toBecome = [
  ...noCapabilities,
  ...['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((name) => ['--cap-add', name]),
];

/** Named by its path: until then it is root that runs it. */
function become({ uid, gid }: SandboxUser): readonly string[] {
  const ids = ['--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
  const none = ['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--no-new-privs'];
  return [pathOf('setpriv'), ...ids, ...none, '--'];
}

function namespaces({ hostNetwork = false }: Confinement): readonly string[] {
  const names = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'];
  const network = hostNetwork ? [] : ['--unshare-net'];
  const own = ['--json-status-fd', '3', '--seccomp', '4'];
  return [...names, ...network, ...own, '--hostname', 'coxswain', '--die-with-parent'];
}

/** Files of ours by the descriptors that the arguments name; bubblewrap closes them before the program. */
export function withFiles(
  argv: readonly string[],
  { status, filter }: { readonly status: string; readonly filter: string },
): readonly string[] {
  const opening = 'status=$0 filter=$1; shift; exec "$@" 3>"$status" 4<"$filter"';
  return ['sh', '-c', opening, status, filter, ...argv];
}

/** A program that can make namespaces of users reaches parts of the kernel that need capabilities. */
function ownUsers({ options }: Bubblewrap, { namespaces: allowed = false }: Confinement): readonly string[] {
  const fixed = !allowed && options.includes('--disable-userns');
  return ['--unshare-user', ...(fixed ? ['--disable-userns'] : [])];
}

function fileSystem(
  paths: SandboxPaths,
  { confinement, machine, options }: Bubblewrap & { readonly confinement: Confinement },
): readonly string[] {
  const mounts = [
    ...temporaryMounts(paths),
    ...hostMounts(machine, paths.made),
    ...(confinement.readable ?? []).map(readOnly),
    ...madeMounts(paths.made),
    ...attemptMounts(paths),
    ...(confinement.masked ?? []).flatMap((name) => maskIn(paths, name)),
    ...Object.entries(confinement.shown ?? {}).map(([at, path]) => ({ at, args: ['--ro-bind', path, at] })),
  ];
  return [
    ...['--proc', '/proc', '--dev', '/dev', ...sharedMemory(paths, options), '--remount-ro', '/dev'],
    ...argumentsFor(mounts),
    ...['--chdir', paths.workspace, '--remount-ro', '/'],
  ];
}

/** Browsers and databases want some; it is memory. */
const sharedMemoryBytes = 256 * 1024 * 1024;

/**
 * For everybody: bubblewrap makes it for whom it runs as, and the program may be another user. Where its size
 * cannot be bounded it is on the disk, which is watched.
 */
function sharedMemory({ temp }: SandboxPaths, options: readonly string[]): readonly string[] {
  if (!options.includes('--size')) return ['--bind', temp, '/dev/shm'];
  return ['--size', String(sharedMemoryBytes), '--perms', '1777', '--tmpfs', '/dev/shm'];
}

/**
 * Settings of the kernel affect the whole machine, and root can write them without any capability. With these
 * read-only, bubblewrap cannot forbid more namespaces, which is one of them.
 */
const kernelSettings = '/proc/sys';

/** The same, and some of these anybody can write. */
const kernelFiles = ['sysrq-trigger', 'acpi', 'dynamic_debug', 'fs', 'mtrr', 'pressure', 'scsi'].map(
  (name) => `/proc/${name}`,
);

/** First, because what else is shown may be below it. */
function temporaryMounts({ temp }: SandboxPaths): readonly Mount[] {
  return [
    { at: '/tmp', args: ['--bind', temp, '/tmp'] },
    { at: '/var/tmp', args: ['--symlink', '../tmp', '/var/tmp'] },
  ];
}

/** The attempt's own folders, at the same paths as outside. */
function attemptMounts(paths: SandboxPaths): readonly Mount[] {
  const gitLink = join(paths.workspace, '.git');
  return [
    ...paths.readable.map(readOnly),
    ...[paths.home, paths.exchange, paths.workspace].map(writable),
    ...(existsSync(gitLink) ? [readOnly(gitLink)] : []),
  ];
}

function writable(path: string): Mount {
  return { at: path, args: ['--bind', path, path] };
}

/** Links are taken out of the workspace before; over one of them a mask would be put somewhere else. */
function maskIn({ workspace, made }: SandboxPaths, name: string): readonly Mount[] {
  const at = name.split('/').reduce((above, part) => {
    const path = join(above, part);
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error(`${path} is a link`);
    return path;
  }, workspace);
  if (!existsSync(at)) return [];
  return [statSync(at).isDirectory() ? { at, args: ['--tmpfs', at] } : insteadOf(at, join(made, emptyFile))];
}
