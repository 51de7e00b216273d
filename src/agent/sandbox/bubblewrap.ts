import { existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { searchPath } from '../environment.ts';
import type { SandboxPaths } from './paths.ts';

/** Paths of this machine that only the operator knows. */
export interface Machine {
  /** Folders and files to hide from the sandbox, such as the App's data and its private key. */
  readonly hidden?: readonly string[];
  /** Folders inside a home that agents or verifiers need, such as a toolchain. */
  readonly readable?: readonly string[];
}

/**
 * People's homes, sockets of services (Docker's is equivalent to root) and other people's temporary files.
 */
const masked = ['/root', '/home', '/run', '/var/tmp'];

/** Files in `/run` that name resolution needs with systemd-resolved or NetworkManager. */
const neededOfRun = ['/run/systemd/resolve', '/run/NetworkManager/resolv.conf', '/run/resolvconf'];

/**
 * Toolchains in a home folder; programs on the search path need the rest of their toolchain's folder too.
 */
const toolchain = /^.*\/\.(?:nvm|volta|bun|deno|nodenv|fnm|pyenv|rbenv|goenv|asdf|sdkman)(?=\/)/;

/**
 * The command line that runs `argv` in bubblewrap.
 *
 * Separate processes and `/proc` (otherwise a child could read our environment, and with it every key);
 * everything read-only except the attempt's workspace, home and temporary folder; no capabilities (root with
 * capabilities could remount `/` writable); killed when we die.
 * The network is shared: an agent must reach its model, and setup its package registry.
 */
export function bubblewrapped(
  argv: readonly string[],
  paths: SandboxPaths,
  machine: Machine,
): readonly string[] {
  return [
    'bwrap',
    ...namespaces(),
    ...hostMounts(paths, machine),
    ...attemptMounts(paths),
    '--',
    ...newSession,
    ...argv,
  ];
}

/**
 * A session for the program alone, so that its `kill 0` does not reach bubblewrap. bubblewrap's own
 * `--new-session` would also take the sandbox's init process out of the group that we kill: an attempt that is
 * cancelled while the sandbox is set up would then go on, because `--die-with-parent` takes effect only later.
 */
const newSession = ['setsid'];

function namespaces(): string[] {
  const names = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'];
  const asUser = process.getuid?.() === 0 ? [] : ['--unshare-user'];
  return [...names, ...asUser, '--die-with-parent', '--cap-drop', 'ALL'];
}

/** Kernel settings affect the whole machine, and root can write them without any capability. */
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

/** The machine, read-only, without anything private. Later mounts cover earlier ones. */
function hostMounts(paths: SandboxPaths, { hidden = [], readable = [] }: Machine): string[] {
  const visible = [...neededOfRun, ...programsUnder(masked), ...readable];
  return [
    ...['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--bind', paths.temp, '/tmp'],
    ...kernelSettings.filter(existsSync).flatMap(readOnly),
    ...masked.filter(existsSync).flatMap((path) => ['--tmpfs', path]),
    ...visible.filter(existsSync).flatMap(readOnly),
    ...hidden.filter(existsSync).flatMap((path) => hide(realpathSync(path))),
  ];
}

/** The attempt's own folders, at the same paths as outside. */
function attemptMounts(paths: SandboxPaths): string[] {
  const gitLink = join(paths.workspace, '.git');
  return [
    ...paths.readable.flatMap(readOnly),
    ...[paths.home, paths.exchange, paths.workspace].flatMap((path) => ['--bind', path, path]),
    ...(existsSync(gitLink) ? readOnly(gitLink) : []),
    ...(paths.masked ?? []).flatMap((name) => maskIn(paths.workspace, name)),
    ...['--chdir', paths.workspace],
  ];
}

/** Keeps programs in a home folder usable: only their folder or toolchain is visible. */
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

function hide(path: string): string[] {
  return statSync(path).isDirectory() ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
}

/** Masks the target of a symbolic link if it is in the workspace; elsewhere the branch has no files. */
function maskIn(workspace: string, name: string): string[] {
  const path = join(workspace, name);
  if (!existsSync(path)) return [];
  const target = realpathSync(path);
  return target.startsWith(`${realpathSync(workspace)}/`) ? hide(target) : [];
}
