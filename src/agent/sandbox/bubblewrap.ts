import { existsSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf } from '../process/program-environment.ts';
import { type Confinement, inside, type SandboxPaths } from './folders.ts';
import {
  argumentsFor,
  emptyFile,
  filterFile,
  gitMounts,
  hostMounts,
  type Mount,
  madeMounts,
  readOnly,
} from './mounts.ts';
import type { SandboxUser } from './privileges.ts';
import type { ResourceLimits } from './resource-limits.ts';

/** What this machine and its bubblewrap can do. */
export interface Bubblewrap {
  /** Paths of this machine that programs may read besides those of the system. */
  readonly readable: readonly string[];
  /** Options of newer versions that it has, such as `--disable-userns`. */
  readonly options: readonly string[];
  readonly limits: ResourceLimits;
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
  { confinement, ...wrap }: Bubblewrap & { readonly confinement: Confinement },
): readonly string[] {
  const user = wrap.user(paths);
  const asRoot = user === null && wrap.isRoot;
  // A program that can make namespaces of users reaches parts of the kernel that need capabilities.
  const isFixed = !confinement.namespaces && !asRoot && wrap.options.includes('--disable-userns');
  const users = ['--unshare-user', ...(isFixed ? ['--disable-userns'] : [])];
  const view = [
    ...['bwrap', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(confinement.hostNetwork ? [] : ['--unshare-net']),
    ...['--json-status-fd', '3', '--seccomp', '4', '--hostname', 'coxswain', '--die-with-parent'],
    ...['--proc', '/proc', '--dev', '/dev', ...sharedMemory(paths, wrap), '--remount-ro', '/dev'],
    ...argumentsFor(mountsOf(paths, confinement, wrap)),
    ...['--chdir', inside.workspace, '--remount-ro', '/'],
    ...[...kernelFiles, ...(asRoot ? [kernelSettings] : [])].filter(existsSync).flatMap(readOnly),
  ];
  const program = limited(argv, wrap.limits);
  if (user === null) return [...view, ...users, '--cap-drop', 'ALL', '--', ...program];
  // Only root can show what the other user cannot reach by itself, such as folders in a private one.
  const inner = [pathOf('bwrap'), ...users, '--dev-bind', '/', '/', '--chdir', inside.workspace];
  const told = ['--json-status-fd', '5', '--die-with-parent', '--'];
  return [...view, ...becoming(user), ...inner, ...told, ...program];
}

/**
 * A session for the program alone, so that its `kill 0` does not reach bubblewrap. bubblewrap's own
 * `--new-session` would also take the sandbox's init process out of the group that we kill: an attempt that
 * is cancelled while the sandbox is set up would then go on, because `--die-with-parent` takes effect only
 * later.
 *
 * And limits that the kernel holds without cgroups. That on processes counts those of the user inside of the
 * namespace of users; it does not hold for root.
 */
function limited(argv: readonly string[], { processes, diskBytes }: ResourceLimits): readonly string[] {
  const limits = [`--nproc=${processes}:${processes}`, `--fsize=${diskBytes}:${diskBytes}`, '--core=0:0'];
  return [pathOf('setsid'), pathOf('prlimit'), ...limits, '--', ...argv];
}

/** `setpriv` is named by its path: until then it is root that runs it. */
function becoming({ uid, gid }: SandboxUser): readonly string[] {
  return [
    ...[
      '--cap-drop',
      'ALL',
      '--cap-add',
      'CAP_SETUID',
      '--cap-add',
      'CAP_SETGID',
      '--cap-add',
      'CAP_SETPCAP',
    ],
    ...['--', pathOf('setpriv'), '--reuid', String(uid), '--regid', String(gid), '--clear-groups'],
    ...['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--no-new-privs', '--'],
  ];
}

/**
 * Files of ours by the descriptors that the arguments name; each bubblewrap closes its own before the
 * program. Where there are two, both append to one status, the outer one first.
 */
export function withFiles(
  argv: readonly string[],
  { made, status, isNested }: { readonly made: string; readonly status: string; readonly isNested: boolean },
): readonly string[] {
  const inner = isNested ? ' 5>&3' : '';
  const opening = `status=$0 filter=$1; shift; exec "$@" 3>>"$status" 4<"$filter"${inner}`;
  return ['sh', '-c', opening, status, join(made, filterFile), ...argv];
}

/** What the program is shown, in an order in which later mounts cover earlier ones. */
function mountsOf(
  paths: SandboxPaths,
  { readable = [], masked = [], shown = {} }: Confinement,
  wrap: Bubblewrap,
): readonly Mount[] {
  const { repository } = inside;
  return [
    // First, because what else is shown may be below it.
    ['--bind', paths.temp, inside.temp],
    ['--symlink', '../tmp', '/var/tmp'],
    ...hostMounts(wrap.readable, paths.made),
    ...readable.map(readOnly),
    ...madeMounts(paths.made),
    ...Object.entries(paths.readable).map(([name, path]) => ['--ro-bind', path, join(repository, name)]),
    ...(['home', 'exchange', 'workspace'] as const).map((name) => ['--bind', paths[name], inside[name]]),
    ...(existsSync(join(paths.workspace, '.git')) ? gitMounts(paths.made) : []),
    ...masked.flatMap((name) => maskIn(paths, name)),
    ...Object.entries(shown).map(([at, path]) => ['--ro-bind', path, at]),
  ];
}

/** Browsers and databases want some; it is memory. */
const sharedMemoryBytes = 256 * 1024 * 1024;

/**
 * For everybody: bubblewrap makes it for whom it runs as, and the program may be another user. Where its size
 * cannot be bounded it is on the disk, which is watched.
 */
function sharedMemory({ temp }: SandboxPaths, { options }: Bubblewrap): readonly string[] {
  if (!options.includes('--size')) return ['--bind', temp, '/dev/shm'];
  return ['--size', String(sharedMemoryBytes), '--perms', '1777', '--tmpfs', '/dev/shm'];
}

/**
 * Settings of the kernel affect the whole machine, and root can write them without any capability. With these
 * read-only, bubblewrap cannot forbid more namespaces, which is one of them.
 */
const kernelSettings = '/proc/sys';

/** Other files that affect the whole machine, some of which anybody can write. */
const kernelFiles = ['sysrq-trigger', 'acpi', 'dynamic_debug', 'fs', 'mtrr', 'pressure', 'scsi'].map(
  (name) => `/proc/${name}`,
);

/** Links are taken out of the workspace before; over one of them a mask would be put somewhere else. */
function maskIn({ workspace, made }: SandboxPaths, name: string): readonly Mount[] {
  const path = name.split('/').reduce((above, part) => {
    const below = join(above, part);
    if (lstatSync(below, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error(`${below} is a link`);
    return below;
  }, workspace);
  if (!existsSync(path)) return [];
  const at = join(inside.workspace, name);
  // Never a device instead of a file: those cannot be opened in namespaces of users.
  return [statSync(path).isDirectory() ? ['--tmpfs', at] : ['--ro-bind', join(made, emptyFile), at]];
}
