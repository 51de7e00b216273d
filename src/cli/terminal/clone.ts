import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathsIn } from '../../git/changed-paths.ts';
import { GitError, git } from '../../git/git.ts';
import type { RepositoryFiles } from '../../onboarding/ecosystems/ecosystem.ts';

export interface Clone {
  /** The folder that holds everything else of it. */
  readonly root: string;
  /** Where its GitHub is, such as `https://github.com`. */
  readonly web: string;
  /** What it is called there, as `owner/name`. */
  readonly name: string;
  readonly defaultBranch: string;
}

/** The clone that a folder belongs to. Throws, in words for people, if it is not one of a repository. */
export async function cloneAt(folder: string, named: string | undefined): Promise<Clone> {
  const root = await rootOf(folder);
  const commit = await askGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (commit === undefined)
    throw new Error(
      `${root} has no commit yet: expected a repository with its code, as after \`git add -A && git commit -m "First"\``,
    );
  return { root, ...(await originOf(root, named)), defaultBranch: await defaultBranchIn(root) };
}

const asIn = 'as in `git clone https://github.com/acme/api && cd api`';

async function rootOf(folder: string): Promise<string> {
  try {
    const isBare = (await git(['rev-parse', '--is-bare-repository'], { cwd: folder })).trim() === 'true';
    if (isBare) throw new Error(`${folder} is a bare repository: expected a clone with files, ${asIn}`);
    return (await git(['rev-parse', '--show-toplevel'], { cwd: folder })).trim();
  } catch (fault) {
    if (!(fault instanceof GitError)) throw fault;
    if (/must be run in a work tree/.test(fault.stderr))
      throw new Error(`${folder} is inside .git: expected a folder with the files of a clone, ${asIn}`);
    if (!/not a git repository/i.test(fault.stderr)) throw fault;
    throw new Error(`${folder} is not in a Git repository: expected a clone of your own repository, ${asIn}`);
  }
}

async function originOf(root: string, named: string | undefined): Promise<Pick<Clone, 'web' | 'name'>> {
  if (named !== undefined) return { web: 'https://github.com', name: named };
  const url = await askGit(root, ['remote', 'get-url', 'origin']);
  const expected = 'expected the address of the repository on GitHub, or its name, as in --repo acme/api';
  if (url === undefined) throw new Error(`${root} has no remote named origin: ${expected}`);
  const origin = onGitHub(url);
  if (origin === undefined) throw new Error(`origin is ${withoutPassword(url)}: ${expected}`);
  return origin;
}

/** Hosts of which we know that they are no GitHub; any other one may be an Enterprise Server. */
const otherHosts =
  /(?:^|\.)(?:gitlab\.com|bitbucket\.org|codeberg\.org|sr\.ht|dev\.azure\.com|visualstudio\.com)$/;

const address = /^(https?|ssh|git):\/\/(?:[^@/]+@)?([\w.-]+(?::\d+)?)\/(.+?)(?:\.git)?\/?$/;

/** Git also takes `git@github.com:acme/api.git`. */
const shortAddress = /^(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+):(?!\/)(.+?)(?:\.git)?\/?$/;

/** Reads the address of a remote; undefined for one of something else. */
export function onGitHub(url: string): Pick<Clone, 'web' | 'name'> | undefined {
  const [, scheme = 'ssh', host, path] = partsOf(url);
  if (host === undefined || path === undefined || !/^[\w-]+\/[\w.-]+$/.test(path)) return undefined;
  if (otherHosts.test(host)) return undefined;
  const web = scheme === 'http' ? `http://${host}` : `https://${host.replace(/:\d+$/, portFor(scheme))}`;
  return { web, name: path };
}

function partsOf(url: string): readonly (string | undefined)[] {
  const [, host, path] = shortAddress.exec(url) ?? [];
  return address.exec(url) ?? [url, 'ssh', host, path];
}

/** The port of SSH is not that of the web. */
function portFor(scheme: string): string {
  return scheme === 'https' ? '$&' : '';
}

function withoutPassword(url: string): string {
  return JSON.stringify(url.replace(/:\/\/[^@/]+@/, '://'));
}

/** Takes that of `origin`, as it was when it was cloned, or else the branch that is checked out. */
async function defaultBranchIn(root: string): Promise<string> {
  const named = await askGit(root, ['symbolic-ref', '--short', 'refs/remotes/origin/HEAD']);
  if (named !== undefined) return named.replace(/^origin\//, '');
  return (await git(['branch', '--show-current'], { cwd: root })).trim() || 'main';
}

/** Larger files say nothing about how a repository is built. */
const maxBytes = 1024 * 1024;

/** The files of a clone as they are now, without what Git ignores. */
export function filesIn(root: string): RepositoryFiles {
  return {
    files: async () => {
      const listed = await git(['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
        cwd: root,
      });
      return [...new Set(pathsIn(listed))];
    },
    read: (path) => textOf(join(root, path)),
  };
}

/** Reads a file; undefined for what is none, is gone, or is too large. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= maxBytes ? await readFile(path, 'utf8') : undefined;
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && isNoFile(fault.code)) return undefined;
    throw new Error(`could not read ${path}`, { cause: fault });
  }
}

function isNoFile(code: unknown): boolean {
  return code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR' || code === 'ELOOP';
}

/** What Git answers in a folder, trimmed; undefined where it refuses. Throws if it cannot be asked. */
export async function askGit(folder: string, command: readonly string[]): Promise<string | undefined> {
  try {
    return (await git(command, { cwd: folder })).trim();
  } catch (fault) {
    if (fault instanceof GitError && fault.exitCode !== null) return undefined;
    throw fault;
  }
}
