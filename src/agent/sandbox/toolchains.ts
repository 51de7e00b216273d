import { type Dirent, existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { isProgram, ownHome } from '../process/environment.ts';

/** Folders that every sandbox shows as they are. */
export const systemFolders = [
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
export function toolchainsOn(path: string, homes: readonly string[] = []): readonly string[] {
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

/** Below these there are only the packageContents of packages. */
const packageContents =
  /^(?:lib\d*|share|include|src|doc|docs|man|node_modules|site-packages|\.git|test|tests)$/;

/** From the folder of a manager to the settings of one version, as in `tools/image/node/24.0.0/etc/npmrc`. */
const deepest = 5;

/** The settings of tools in a folder with toolchains that can have credentials. */
export function toolSettingsIn(folder: string, depth = deepest): readonly string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory())
      return tokenFiles.test(entry.name) && existsSync(path) ? [realpathSync(path)] : [];
    return depth === 0 || packageContents.test(entry.name) ? [] : toolSettingsIn(path, depth - 1);
  });
}
