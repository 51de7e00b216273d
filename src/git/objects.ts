import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { GitError, git, gitBytes, ObjectDamaged, suspected } from './git.ts';

/** A Git object as text. */
interface GitObject {
  readonly sha: string;
  readonly type: string;
  readonly content: string;
}

/** Options to run a command in one Git directory, whatever surrounds it. */
export function inside(gitDir: string): { readonly cwd: string; readonly env: { readonly GIT_DIR: string } } {
  const dir = resolve(gitDir);
  return { cwd: dir, env: { GIT_DIR: dir } };
}

/**
 * Reads objects by name (`<sha>`, `<rev>:<path>`) in one command; undefined for those that do not exist.
 * Throws `ObjectDamaged`, as all here, for what is named in the directory but is not whole.
 */
export async function readObjects(
  gitDir: string,
  names: readonly string[],
): Promise<readonly (GitObject | undefined)[]> {
  const input = names.map((name) => `${name}\0`).join('');
  const output = await gitBytes(['cat-file', '--batch', '-z'], { ...inside(gitDir), input });
  let at = 0;
  const objects = names.map((name) => {
    const { object, end } = objectAt(output, at, name);
    at = end;
    return object;
  });
  return requireWhole(gitDir, names, objects);
}

/** The sizes of objects in bytes, without reading them; undefined for those that do not exist. */
export async function sizesOf(
  gitDir: string,
  names: readonly string[],
): Promise<readonly (number | undefined)[]> {
  const input = names.map((name) => `${name}\0`).join('');
  const command = ['cat-file', '--batch-check=%(objectsize)', '-z'];
  const output = await git(command, { ...inside(gitDir), input });
  const lines = output.split('\n', names.length);
  const sizes = lines.map((line) => (/^\d+$/.test(line) ? Number(line) : undefined));
  return requireWhole(gitDir, names, sizes);
}

function objectAt(output: Buffer, at: number, name: string): { object: GitObject | undefined; end: number } {
  const missing = Buffer.from(`${name} missing\n`);
  if (output.subarray(at, at + missing.length).equals(missing)) {
    return { object: undefined, end: at + missing.length };
  }
  const headerEnd = output.indexOf('\n', at);
  const [sha = '', type = '', size = ''] = output.toString('utf8', at, headerEnd).split(' ');
  if (!/^\d+$/.test(size))
    throw new Error(`could not read object ${name}: ${output.toString('utf8', at, headerEnd)}`);
  const start = headerEnd + 1;
  const content = output.toString('utf8', start, start + Number(size));
  return { object: { sha, type, content }, end: start + Number(size) + 1 };
}

/** The commit of a revision. */
export async function resolveCommit(gitDir: string, rev: string): Promise<string | undefined> {
  const name = `${rev}^{commit}`;
  const input = `${name}\0`;
  const output = await git(['cat-file', '--batch-check', '-z'], { ...inside(gitDir), input });
  const [commit] = await requireWhole(gitDir, [name], [/^([0-9a-f]{40,64}) commit \d+\n$/.exec(output)?.[1]]);
  return commit;
}

/** The trees of commits; undefined for those that do not exist. */
export async function treesOf(
  gitDir: string,
  commits: readonly string[],
): Promise<readonly (string | undefined)[]> {
  const names = commits.map((commit) => `${commit}^{tree}`);
  const input = names.map((name) => `${name}\0`).join('');
  const output = await git(['cat-file', '--batch-check=%(objectname)', '-z'], { ...inside(gitDir), input });
  const lines = output.split('\n', commits.length);
  const trees = lines.map((line) => (/^[0-9a-f]{40,64}$/.test(line) ? line : undefined));
  return requireWhole(gitDir, names, trees);
}

/** What was found by these names, if there is really nothing where Git says that something is missing. */
async function requireWhole<T>(
  gitDir: string,
  names: readonly string[],
  found: readonly (T | undefined)[],
): Promise<readonly (T | undefined)[]> {
  for (const name of names.filter((_, index) => found[index] === undefined)) {
    if (await isDamaged(gitDir, name)) throw damaged(gitDir, name);
  }
  return found;
}

/** The error for what is named but cannot be read; the next fetch makes the mirror anew. */
export function damaged(gitDir: string, name: string): ObjectDamaged {
  suspected.add(resolve(gitDir));
  return new ObjectDamaged(`could not read ${name} in ${gitDir}: it is named there, but damaged or gone`);
}

/** Of a name that Git calls missing: a tree names what it should have, and so do refs and histories. */
async function isDamaged(gitDir: string, name: string): Promise<boolean> {
  const [, rev = '', peeled = '', path] = /^([^:^]*)([^:]*)(?::(.*))?$/s.exec(name) ?? [];
  const type = await typeOf(gitDir, rev);
  if (type === 'absent' || type === 'damaged') return type === 'damaged';
  if (path === undefined) return type === 'commit' && peeled === '^{tree}';
  // A file has nothing below it. Git would find something by odd paths, but no tree can have them.
  if (type === 'blob' || path.split('/').some((part) => /^\.{0,2}$/.test(part))) return false;
  const listing = await soundly(gitDir, ['ls-tree', '-z', '--full-tree', `${rev}${peeled}`, '--', path]);
  // Another repository is named by its commit, which is elsewhere.
  return listing === undefined || listing.split('\0').some((entry) => /^\d+ (?!commit)/.test(entry));
}

async function typeOf(gitDir: string, rev: string): Promise<string> {
  const isSha = /^[0-9a-f]{40,64}$/.test(rev);
  const named = isSha ? rev : await soundly(gitDir, ['rev-parse', '--verify', '--quiet', rev]);
  // A ref without a value that Git can read.
  if (named === undefined)
    return rev.startsWith('refs/') && (await isFile(join(gitDir, rev))) ? 'damaged' : 'absent';
  const asked = await git(['cat-file', '-t', named.trim()], inside(gitDir)).catch((fault: unknown) => fault);
  if (asked === 'tag\n')
    return (await soundly(gitDir, ['cat-file', '-t', `${named.trim()}^{}`]))?.trim() ?? 'damaged';
  if (typeof asked === 'string') return asked.trim();
  if (!(asked instanceof GitError) || asked.exitCode === null) throw asked;
  if (!isSha || /^error: /m.test(asked.stderr)) return 'damaged';
  const history = await soundly(gitDir, ['rev-list', '--all', '--quiet']);
  return history === undefined ? 'damaged' : 'absent';
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined); // it does not exist
  return found?.isFile() ?? false;
}

/** What Git prints; undefined if it cannot do that in this directory. */
async function soundly(gitDir: string, command: readonly string[]): Promise<string | undefined> {
  const { cwd, env } = inside(gitDir);
  try {
    return await git(command, { cwd, env: { ...env, GIT_LITERAL_PATHSPECS: '1' } });
  } catch (fault) {
    if (fault instanceof GitError && fault.exitCode !== null) return undefined;
    throw fault;
  }
}
