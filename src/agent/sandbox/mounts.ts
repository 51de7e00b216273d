import { type Dirent, existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { ownFolder } from '../../git/worktree.ts';
import { script as registryHookScript } from '../../network/tools/node-hook/main.ts?program';
import { forwarderScript } from '../../network/tools/proxy-settings.ts';
import { isProgram, ownHome, toolchainVariables, toolPath } from '../process/program-environment.ts';
import { inside } from './folders.ts';
import { type SandboxUser, systemCallFilter } from './privileges.ts';

/** Something that the sandbox shows: arguments of bubblewrap, of which the last is where it is inside. */
export type Mount = readonly string[];

/**
 * What programs see of this machine, in the order of mounting: nothing but what is named here, read-only.
 * Neither homes nor sockets nor the settings of services are in it. `readable`: paths that only the operator
 * knows. `made` has the files of the attempt's own.
 */
export function hostMounts(readable: readonly string[], made: string): readonly Mount[] {
  const toolchains = toolchainsOn(toolPath(), Object.values(toolchainVariables()));
  const toBind = [...toolchains, ...readable].filter((path) => existsSync(path) && !isSystem(path));
  const bound = outermost(toBind);
  return [
    ...systemFolders.filter(existsSync).map(sameAsHost),
    ...emptied.filter(existsSync).map((path) => ['--tmpfs', path, '--remount-ro', path]),
    ...[...settingsOfSystem(), ...bound].map(readOnly),
    ...settingsOfTools(toolchains, bound).map((path) => ['--ro-bind', replacementFor(path, made), path]),
  ];
}

/**
 * The files that would be shown and have settings; for a link, the file that it leads to. What the operator
 * names is shown as it is.
 */
function settingsOfTools(toolchains: readonly string[], bound: readonly string[]): readonly string[] {
  const found = toolchains.filter((path) => !isSystem(path)).flatMap((folder) => toolSettingsIn(folder));
  const shown = found.filter((file) => isSystem(file) || bound.some((path) => file.startsWith(`${path}/`)));
  return [...new Set([...settingsOfMaven(), ...shown])];
}

function replacementFor(path: string, made: string): string {
  return join(made, basename(path) === 'settings.xml' ? mavenSettings : emptyFile);
}

/** System-wide settings of npm and pip can have credentials. */
const emptied = ['/usr/local/etc', '/usr/etc'];

/** The settings of Maven can have credentials too. */
function settingsOfMaven(): readonly string[] {
  const shared = existsSync('/usr/share') ? readdirSync('/usr/share') : [];
  // `maven`, or `apache-maven-3.9.9` on GitHub's runners.
  const folders = shared.filter((name) => name.includes('maven')).map((name) => `/usr/share/${name}/conf`);
  const files = ['/etc/maven', ...folders].map((folder) => join(folder, 'settings.xml')).filter(existsSync);
  return files.map((path) => realpathSync(path));
}

/** What programs need of `/etc`; the rest of it is made for each attempt. */
const wanted = [
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'localtime', 'timezone'],
  ...['ssl/certs', 'ssl/openssl.cnf', 'ca-certificates', 'ca-certificates.conf', 'crypto-policies'],
  ...['pki/tls/certs', 'pki/tls/cert.pem', 'pki/tls/openssl.cnf', 'pki/ca-trust/extracted', 'pki/java'],
  ...['protocols', 'services', 'mime.types', 'magic', 'locale.conf', 'locale.alias', 'fonts', 'terminfo'],
  ...['os-release', 'lsb-release', 'debian_version', 'redhat-release', 'alpine-release', 'shells', 'dotnet'],
  ...['gai.conf', 'host.conf', 'rpc', 'perl', 'maven'],
];

/** Java, Python, Ruby and PHP have a folder for each version. */
const versioned = /^(?:java|python|ruby|php|jvm|ImageMagick)[-\w.]*$/;

function settingsOfSystem(): readonly string[] {
  const found = existsSync('/etc') ? readdirSync('/etc').filter((name) => versioned.test(name)) : [];
  return [...wanted, ...found].map((name) => join('/etc', name)).filter(existsSync);
}

/** A folder of the system, or the link that takes its place on most distributions. */
function sameAsHost(path: string): Mount {
  if (!lstatSync(path).isSymbolicLink()) return readOnly(path);
  return ['--symlink', readlinkSync(path), path];
}

/** Leaves out those that are inside of others, which are shown with them. */
function outermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => path !== other && path.startsWith(`${other}/`)));
}

/** Folders that every sandbox shows as they are. */
const systemFolders = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'],
];

/**
 * Managers of toolchains keep them in a folder in somebody's home, of which nothing else is shown.
 * Not `.cargo`, `.m2`, `.npm`, `.gradle`: they keep credentials beside what they have downloaded.
 */
const managed =
  /^.*\/\.(?:nvm|volta|bun|deno|nodenv|fnm|pyenv|rbenv|rustup|goenv|asdf|sdkman|rye|mise|ghcup)(?=\/|$)/;

/** What a program needs of the folder above its own. */
const besidePrograms = ['lib', 'lib64', 'libexec', 'include', 'share', 'pkg', 'src', 'conf', 'jmods'];

/**
 * The folders that the programs on a search path need: those of the path itself, and the rest of each
 * toolchain. Of people's homes only the folders of known managers of toolchains and the programs themselves.
 * `homes` are folders of toolchains that variables name.
 */
function toolchainsOn(path: string, homes: readonly string[] = []): readonly string[] {
  const folders = path.split(delimiter).filter(existsSync);
  const ofLinks = [...folders, '/usr/local/bin'].flatMap(linksOutOf).flatMap(toolchainOfProgram);
  const named = homes.filter((folder) => isAbsolute(folder) && !tooWide(folder));
  const found = folders.flatMap((folder) => {
    const real = realpathSync(folder);
    return [folder, real].filter((each) => !isSystem(each)).flatMap(toolchainOf);
  });
  return [...new Set([...found, ...ofLinks, ...named])].filter(existsSync);
}

function toolchainOf(folder: string): readonly string[] {
  const manager = managed.exec(folder)?.[0];
  if (manager !== undefined) return [manager];
  if (tooWide(folder)) return [];
  const above = dirname(folder);
  if (existsSync(join(above, venv)))
    return [folder, ...['lib', 'lib64', venv].map((name) => join(above, name))];
  if (isInHome(folder)) {
    const beside = Object.entries(besideHomes).filter(([end]) => folder.endsWith(end));
    return [folder, ...beside.map(([, path]) => join(folder, path))];
  }
  return tooWide(above) ? [folder] : [folder, ...besidePrograms.map((name) => join(above, name))];
}

/** Marks a virtual environment of Python, such as pipx makes for each program. */
const venv = 'pyvenv.cfg';

/** What `npm install --global` has installed. */
const packages = /^.*\/lib\/node_modules(?=\/)/;

/** For a program that a link leads to: beside one in a home there can be anything. */
function toolchainOfProgram(path: string): readonly string[] {
  const folder = dirname(path);
  const installed = packages.exec(path)?.[0];
  if (installed !== undefined) return [installed];
  const isKnown = managed.test(path) || existsSync(join(dirname(folder), venv));
  return isInHome(path) && !isKnown ? [path] : toolchainOf(folder);
}

/**
 * By the end of a folder in somebody's home: the programs of cargo start those of a toolchain of rustup, and
 * what `pip install --user` has installed is beside its programs.
 */
const besideHomes = { '/.cargo/bin': '../../.rustup', '/.local/bin': '../lib' };

/** Folders in which there may be anything. */
function tooWide(folder: string): boolean {
  const system = ['/', '/root', '/home', '/opt', '/etc', '/var', '/srv', '/tmp', '/run', '/mnt', '/media'];
  return [...system, ownHome()].includes(folder) || /^\/home\/[^/]+$/.test(folder);
}

function isInHome(folder: string): boolean {
  return [ownHome(), '/root', '/home'].some((home) => folder.startsWith(`${home}/`));
}

/** Whether a path is in a folder that every sandbox shows. */
export function isSystem(path: string): boolean {
  return systemFolders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** The programs that links in a folder lead to, if they are outside of what every sandbox shows. */
function linksOutOf(folder: string): readonly string[] {
  if (isSystem(folder) && folder !== '/usr/local/bin') return [];
  const links = entriesOf(folder).filter((entry) => entry.isSymbolicLink());
  const targets = links.map(({ name }) => join(folder, name)).filter(existsSync);
  return targets.map((path) => realpathSync(path)).filter((path) => !isSystem(path) && isProgram(path));
}

/** None of a file, or of a folder that we may not read: both can be on a search path. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Files in which tools keep tokens beside their programs, such as those of `npm config set --global`. */
const tokenFiles =
  /^(?:\.?npmrc|\.netrc|pip\.(?:conf|ini)|settings(?:-security)?\.xml|credentials(?:\..*)?)$/;

/** What is below these is the content of packages, and no settings. */
const packageContents =
  /^(?:lib\d*|share|include|src|doc|docs|man|node_modules|site-packages|\.git|test|tests)$/;

/** The settings of one version are so deep in a manager's folder: `tools/image/node/24.0.0/etc/npmrc`. */
const deepest = 5;

/** The settings of tools in a folder with toolchains that can have credentials. */
function toolSettingsIn(folder: string, depth = deepest): readonly string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory())
      return tokenFiles.test(entry.name) && existsSync(path) ? [realpathSync(path)] : [];
    return depth === 0 || packageContents.test(entry.name) ? [] : toolSettingsIn(path, depth - 1);
  });
}

/**
 * Files of `/etc` that name people, machines and networks: made for each attempt, so that programs find what
 * they look for and learn nothing. And our own programs.
 */
export async function makeFiles(folder: string, user: SandboxUser): Promise<void> {
  await mkdir(folder, { recursive: true });
  const files = {
    ...contents(user),
    ...gitLinks,
    [forwarderFile]: forwarderScript,
    [hookFile]: registryHookScript,
    [filterFile]: systemCallFilter() ?? '',
    [emptyFile]: '',
    [mavenSettings]: '<settings/>\n',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}

/** The filter of system calls, which is not shown. */
export const filterFile = 'system-calls.bpf';
/** Shown instead of files whose content is nobody's business. */
export const emptyFile = 'empty';
/** Shown instead of the machine's own settings of Maven, which can have credentials. */
const mavenSettings = 'settings.xml';

/** The program that leads out of the network of a sandbox. */
export const forwarderFile = 'forwarder.cjs';

/** What programs of Node.js load first, where a registry of npm has a token. */
export const hookFile = 'node-hook.cjs';

/** Shows those of `/etc`. */
export function madeMounts(folder: string): readonly Mount[] {
  return names.map((name) => ['--ro-bind', join(folder, name), join('/etc', name)]);
}

/**
 * By which Git finds the repository from the workspace, and the workspace from the repository: outside, both
 * name paths that are there only.
 */
const gitLinks = {
  'git-link': `gitdir: ${inside.repository}/${ownFolder}\n`,
  'git-folder': `${inside.workspace}/.git\n`,
};

/** Shows them, so that programs can change neither. */
export function gitMounts(folder: string): readonly Mount[] {
  const places = {
    'git-link': `${inside.workspace}/.git`,
    'git-folder': `${inside.repository}/${ownFolder}/gitdir`,
  } satisfies Record<keyof typeof gitLinks, string>;
  return Object.entries(places).map(([name, at]) => ['--ro-bind', join(folder, name), at]);
}

const names = ['passwd', 'group', 'hosts', 'hostname', 'resolv.conf', 'nsswitch.conf', 'gitconfig'] as const;

function contents({ uid, gid }: SandboxUser): Readonly<Record<(typeof names)[number], string>> {
  const { home } = inside;
  const self = uid === 0 ? '' : `coxswain:x:${uid}:${gid}::${home}:/bin/sh\n`;
  const own = gid === 0 ? '' : `coxswain:x:${gid}:\n`;
  return {
    passwd: `root:x:0:0::${uid === 0 ? home : '/nonexistent'}:/bin/sh\n${self}nobody:x:65534:65534::/nonexistent:/bin/false\n`,
    group: `root:x:0:\n${own}nogroup:x:65534:\n`,
    hosts: '127.0.0.1 localhost\n::1 localhost\n',
    hostname: 'coxswain\n',
    'resolv.conf': '# The network is a proxy: see HTTPS_PROXY.\n',
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n',
    // Git refuses to read a repository of another user, and its directory is ours.
    gitconfig: '[safe]\n\tdirectory = *\n',
  };
}

/** The same file or folder at the same place, which cannot be changed. */
export function readOnly(path: string): Mount {
  return ['--ro-bind', path, path];
}

/**
 * The arguments for mounts in order, of which later ones cover earlier ones. The folders above them are made
 * for everybody: bubblewrap would make them for the user alone that it runs as.
 */
export function argumentsFor(mounts: readonly Mount[]): readonly string[] {
  const made = new Set<string>(['/']);
  return mounts.flatMap((mount) => {
    const at = mount.at(-1) ?? '/';
    const missing = above(at).filter((folder) => !made.has(folder));
    for (const folder of [...missing, at]) made.add(folder);
    return [...missing.flatMap((folder) => ['--perms', '0755', '--dir', folder]), ...mount];
  });
}

/** The folders that a path is in, beginning with the one at the top. */
function above(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === '/' ? [] : [...above(folder), folder];
}
