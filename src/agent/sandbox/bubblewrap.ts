import { existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { searchPath } from '../environment.ts';
import type { Walls } from './paths.ts';

/** What the operator knows of this machine. */
export interface Machine {
  /** Folders and files that nobody inside may see, such as the App's data and its key. */
  readonly hidden?: readonly string[];
  /** Folders under a home that agent or verifiers need, such as a toolchain. */
  readonly readable?: readonly string[];
}

/**
 * People's homes, sockets of services (Docker's is as good as root) and what others left in temporary
 * folders.
 */
const masked = ['/root', '/home', '/run', '/var/tmp'];

/** Name resolution needs these files of `/run` on systems with systemd-resolved or NetworkManager. */
const neededOfRun = ['/run/systemd/resolve', '/run/NetworkManager/resolv.conf', '/run/resolvconf'];

/**
 * Toolchains that people keep in their home, whole: what is on the search path needs the rest of the
 * folder.
 */
const toolchain = /^.*\/\.(?:nvm|volta|bun|deno|nodenv|fnm|pyenv|rbenv|goenv|asdf|sdkman)(?=\/)/;

/**
 * The command line that runs `argv` in bubblewrap.
 *
 * Own processes and `/proc` (a child could otherwise read our environment and with it every key),
 * everything read-only but the workspace, home and temporary folder of the attempt, no capabilities
 * (root with capabilities simply mounts `/` writable again), and death together with us.
 * The network is shared: an agent has to reach its model, and set-up its package registry.
 */
export function bubblewrapped(argv: readonly string[], room: Walls, machine: Machine): readonly string[] {
  return ['bwrap', ...namespaces(), ...root(room, machine), ...doors(room), '--', ...ownSession, ...argv];
}

/**
 * A session for the program alone, so that its `kill 0` does not reach bubblewrap. bubblewrap's own
 * `--new-session` would also take the sandbox's init process out of the group that we kill: an attempt that is
 * cancelled while the sandbox is set up would then go on, because `--die-with-parent` takes effect only later.
 */
const ownSession = ['setsid'];

function namespaces(): string[] {
  const names = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'];
  const asUser = process.getuid?.() === 0 ? [] : ['--unshare-user'];
  return [...names, ...asUser, '--die-with-parent', '--cap-drop', 'ALL'];
}

/** Kernel settings belong to the whole machine, and root may write them without any capability. */
const kernelSettings = [
  'sys',
  'sysrq-trigger',
  'acpi',
  'dynamic_debug',
  'fs',
  'mtrr',
  'pressure',
  'scsi',
].map((name) => `/proc/${name}`);

/** The machine, read-only, with everything private taken away. Later mounts lie upon earlier ones. */
function root(room: Walls, { hidden = [], readable = [] }: Machine): string[] {
  const seen = [...neededOfRun, ...programsUnder(masked), ...readable];
  return [
    ...['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--bind', room.temp, '/tmp'],
    ...kernelSettings.filter(existsSync).flatMap(readOnly),
    ...masked.filter(existsSync).flatMap((path) => ['--tmpfs', path]),
    ...seen.filter(existsSync).flatMap(readOnly),
    ...hidden.filter(existsSync).flatMap((path) => away(realpathSync(path))),
  ];
}

/** What the attempt may use, at the same paths as outside. */
function doors(room: Walls): string[] {
  const gitLink = join(room.workspace, '.git');
  return [
    ...room.readable.flatMap(readOnly),
    ...[room.home, room.exchange, room.workspace].flatMap((path) => ['--bind', path, path]),
    ...(existsSync(gitLink) ? readOnly(gitLink) : []),
    ...(room.masked ?? []).flatMap((name) => maskIn(room.workspace, name)),
    ...['--chdir', room.workspace],
  ];
}

/** Programs that live in a home stay usable: their folders or their toolchain, and nothing beside them. */
function programsUnder(folders: readonly string[]): string[] {
  const prefix = dirname(dirname(realpathSync(process.execPath)));
  const ours = [join(prefix, 'bin'), join(prefix, 'lib', 'node_modules')];
  const all = [...searchPath().split(delimiter), ...ours];
  const inHomes = all.filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)));
  return [...new Set(inHomes.map((path) => toolchain.exec(path)?.[0] ?? path))];
}

function readOnly(path: string): string[] {
  return ['--ro-bind', path, path];
}

function away(path: string): string[] {
  return statSync(path).isDirectory() ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
}

/** A link is masked where it leads, if that is in the workspace; elsewhere nothing of the branch's can be. */
function maskIn(workspace: string, name: string): string[] {
  const path = join(workspace, name);
  if (!existsSync(path)) return [];
  const place = realpathSync(path);
  return place.startsWith(`${realpathSync(workspace)}/`) ? away(place) : [];
}
