import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Profile } from '../../profiles/profile.ts';
import { endingOf } from '../../text/characters.ts';
import { type ProcessResult, runChild } from '../process/child.ts';
import { identify, isAlive, readIdentity } from '../process/child-registry.ts';
import { ownHome, pathOf, registrySettings, searchPath } from '../process/program-environment.ts';
import { removeTree } from '../sandbox/folders.ts';

/** Where agents are installed, and with what. */
export interface InstallOptions {
  readonly cache: string;
  /** What runs is registered below this folder. */
  readonly workRoot: string;
  log(text: string): void;
}

export type Installed = { readonly folder: string } | { readonly problem: string };

/** Whether what was installed can be used; otherwise why not, in part of a sentence. */
type Check = (folder: string) => Promise<string | null>;

/**
 * The folder of an agent's packages, installed unless they are there. They are put in place as a whole,
 * so that neither a crash nor another process that installs the same leaves half of them.
 */
export async function installed(
  agent: Profile,
  locked: LockedPackage,
  { check, ...options }: InstallOptions & { readonly check: Check },
): Promise<Installed> {
  await mkdir(options.cache, { recursive: true, mode: 0o755 });
  const cache = await realpath(options.cache);
  const folder = join(cache, folderName(agent, locked));
  if (await isWhole(folder)) return inUse(folder);
  const unique = join(cache, making, randomBytes(6).toString('hex'));
  try {
    const problem = await make(agent, { locked, folder: unique, check, ...options });
    if (problem !== null) return { problem };
    await putInPlace(join(unique, content), folder);
  } finally {
    await removeTree(unique);
  }
  await prune(cache, folderName(agent, locked));
  return inUse(folder);
}

function folderName({ name, launch }: Profile, { digest }: LockedPackage): string {
  return `${name}-${launch.package?.version}-${digest.slice(0, 12)}`;
}

/** Everything is made in this folder, and then moved. */
const making = 'making';
const content = 'content';
const ownerFile = 'owner.json';

interface Making extends InstallOptions {
  readonly locked: LockedPackage;
  readonly folder: string;
  readonly check: Check;
}

async function make({ title, launch }: Profile, { locked, folder, check, ...options }: Making) {
  const began = performance.now();
  const inside = join(folder, content);
  await mkdir(inside, { recursive: true });
  await writeFile(join(folder, ownerFile), JSON.stringify(identify(process.pid)));
  for (const [name, text] of Object.entries(locked.files)) await writeFile(join(inside, name), text);
  options.log(`installing ${title} ${launch.package?.version}`);
  const failure = await npmCi({ ...options, folder: inside, cache: join(folder, 'npm') });
  const problem = failure ?? (await check(inside));
  if (problem !== null) return problem;
  await chmod(inside, 0o755);
  for (const name of Object.keys(locked.files)) await chmod(join(inside, name), 0o644);
  await recordInventory(inside);
  options.log(`installed ${title} in ${Math.round((performance.now() - began) / 1000)} s`);
  return null;
}

/** Someone else may have been faster, and what is there may be damaged. */
async function putInPlace(made: string, folder: string): Promise<void> {
  for (let tries = 0; tries < 10; tries++) {
    if (await moved(made, folder)) return;
    if (await isWhole(folder)) return;
    const aside = join(made, '..', `damaged-${tries}`);
    await rename(folder, aside).catch(ignoreMissing);
  }
  throw new Error(`could not put an agent into ${folder}: something else is put there again and again`);
}

async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'ENOTEMPTY' || codeOf(cause) === 'EEXIST') return false;
    throw new Error(`could not move an agent to ${to}`, { cause });
  }
}

function ignoreMissing(cause: unknown): void {
  if (codeOf(cause) !== 'ENOENT') throw cause;
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}

/** Others know by the time that it is used; in a folder that cannot be written, nobody removes anything. */
async function inUse(folder: string): Promise<Installed> {
  const now = new Date();
  await utimes(folder, now, now).catch((cause: unknown) => {
    if (!['EPERM', 'EACCES', 'EROFS'].includes(String(codeOf(cause)))) throw cause;
  });
  return { folder };
}

/** Longer than an attempt can take: other processes do not say what they use. */
const unusedMs = 7 * 24 * 60 * 60_000;

/** Removes other versions that nobody used for long, and what a crash has left, where it can. */
async function prune(cache: string, current: string): Promise<void> {
  const ofAgent = /^[a-z]+-/.exec(current)?.[0] ?? current;
  const others = (await readdir(cache)).filter((name) => name.startsWith(ofAgent) && name !== current);
  for (const name of others) {
    const used = await stat(join(cache, name)).catch(leftForLater); // another process has removed it
    if (used !== undefined && Date.now() - used.mtimeMs > unusedMs)
      await removeTree(join(cache, name)).catch(leftForLater);
  }
  for (const name of await readdir(join(cache, making))) {
    const written = await readFile(join(cache, making, name, ownerFile), 'utf8').catch(() => ''); // being made
    const owner = readIdentity(written);
    if (owner !== undefined && !isAlive(owner))
      await removeTree(join(cache, making, name)).catch(leftForLater);
  }
}

function leftForLater(): void {}

const file = 'installed.json';

/** Records what is in a folder, so that `isWhole` can tell later whether something is missing. */
async function recordInventory(folder: string): Promise<void> {
  await writeFile(join(folder, file), `${JSON.stringify({ inventory: await inventoryOf(folder) })}\n`);
}

/** Whether everything is there that was recorded, in its size. */
async function isWhole(folder: string): Promise<boolean> {
  const recorded = await readFile(join(folder, file), 'utf8').catch(() => ''); // not there, or unreadable
  if (recorded === '') return false;
  return recorded === `${JSON.stringify({ inventory: await inventoryOf(folder) })}\n`;
}

/** A digest of the paths, kinds and sizes of all files: reading hundreds of megabytes would take too long. */
async function inventoryOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));
  const lines = await Promise.all(
    paths.map(async (path) => {
      const { size, mode } = await lstat(path);
      return `${relative(folder, path)} ${mode} ${size}`;
    }),
  );
  const own = lines.filter((line) => !line.startsWith(`${file} `));
  return createHash('sha256').update(own.sort().join('\n')).digest('hex');
}

interface NpmOptions {
  /** `package.json` and the lockfile are in it. */
  readonly folder: string;
  readonly cache: string;
  readonly workRoot: string;
}

const timeoutMs = 10 * 60_000;

/** Nothing of what is downloaded runs here. Audits and news would ask the registry for more. */
const options = [
  ...['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--no-progress'],
  ...['--include=optional', '--package-lock=true', '--install-strategy=hoisted', '--global=false'],
  ...['--workspaces=false', '--engine-strict=false', '--loglevel=error'],
];

/**
 * Installs what a lockfile names. npm has the settings of the user that we are, for these say how this
 * machine reaches a registry; its cache is ours. Returns why it failed, in part of a sentence; null if
 * it did not.
 */
async function npmCi({ folder, cache, workRoot }: NpmOptions): Promise<string | null> {
  const npm = pathOf('npm');
  if (npm === 'npm') return 'there is no npm on the search path';
  // Other users have to be able to read what is installed, whatever our umask is.
  const argv = ['sh', '-c', 'umask 022; exec "$@"', 'sh', npm, 'ci', ...options, '--cache', cache];
  const env = { ...registrySettings(), PATH: searchPath(), HOME: ownHome(), LANG: 'C.UTF-8', CI: 'true' };
  const request = { argv, cwd: folder, env, timeoutMs, workRoot, keepBytes: 64 * 1024 };
  return problemOf(await runChild(request, new AbortController().signal));
}

function problemOf(result: ProcessResult): string | null {
  if (result.end === 'exited' && result.exitCode === 0) return null;
  if (result.end === 'timed_out') return `npm did not finish within ${timeoutMs / 60_000} minutes`;
  if (result.end === 'not_started') return `npm could not be started: ${result.message}`;
  const how = result.end === 'exited' ? `exit code ${result.exitCode}` : result.end;
  const said = (result.stderr.trim() || result.stdout.trim()).split('\n').map(plain);
  const text = said.filter((line) => line !== '' && !/complete log of this run/.test(line)).join('; ');
  return `npm ended with ${how}: ${endingOf(text, 600)}`;
}

function plain(line: string): string {
  return line.replace(/^npm (?:error|ERR!) ?/, '').trim();
}

/** What an agent is installed from: a package whose lockfile names everything in it with its hash. */
export interface LockedPackage {
  readonly files: Readonly<Record<string, string>>;
  /** Changes whenever anything that is installed does. */
  readonly digest: string;
  /** Why it cannot be installed on this machine, in part of a sentence; null if it can. */
  readonly problem: string | null;
}

/** Reads the package of an agent; null if there is nothing from which it could be installed. */
export async function lockedPackageOf({ name, launch }: Profile): Promise<LockedPackage | null> {
  if (launch.package === undefined) return null;
  const folder = join(packagesFolder(), name);
  const paths = ['package.json', 'package-lock.json'] as const;
  const [manifest, lock] = await Promise.all(paths.map((path) => readFile(join(folder, path), 'utf8')));
  if (manifest === undefined || lock === undefined) throw new Error(`${folder} has no lockfile`);
  const digest = createHash('sha256').update(manifest).update('\0').update(lock).digest('hex');
  return { files: { [paths[0]]: manifest, [paths[1]]: lock }, digest, problem: problemHere(lock) };
}

/** The lockfiles are two levels above a built file, and three above this one. */
const candidates = ['../../agents/', '../../../agents/'];

function packagesFolder(): string {
  const folders = candidates.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const found = folders.find((folder) => existsSync(join(folder, 'claude', 'package-lock.json')));
  if (found !== undefined) return found;
  throw new Error(`the lockfiles of agents are missing: expected them in ${folders.join(' or ')}`);
}

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dependencies: z.record(z.string(), z.string()).optional(),
      os: z.array(z.string()).optional(),
      cpu: z.array(z.string()).optional(),
    }),
  ),
});

/** Looks, as npm would, only at what is written about the agent itself: it has parts for each platform. */
function problemHere(lock: string): string | null {
  const { packages } = lockSchema.parse(JSON.parse(lock));
  const wanted = Object.keys(packages['']?.dependencies ?? {});
  const fits = wanted.every((name) => {
    const { os, cpu } = packages[`node_modules/${name}`] ?? {};
    return (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true);
  });
  return fits ? null : `its package is not for ${process.platform} on ${process.arch}`;
}
