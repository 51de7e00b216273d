import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { GitError, git, gitBytes, ObjectDamaged, suspected } from './git.ts';

/** A Git object, whose content is read as text. */
interface GitObject {
  readonly sha: string;
  readonly type: string;
  readonly content: string;
}

/**
 * Options to run a command in one Git directory, whatever surrounds it; `env` is added to its environment.
 */
export function inside(gitDir: string, env: Readonly<Record<string, string>> = {}) {
  const dir = resolve(gitDir);
  return { cwd: dir, env: { ...env, GIT_DIR: dir } } as const;
}

/** Git takes a path as it is, also one with an asterisk. */
export const literalPaths = { GIT_LITERAL_PATHSPECS: '1' } as const;

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

/** The texts of files by such names; undefined also for what is no file, such as a folder. */
export async function readFiles(
  gitDir: string,
  names: readonly string[],
): Promise<readonly (string | undefined)[]> {
  return (await readObjects(gitDir, names)).map(textOfFile);
}

/** What an object says if it is a file; a folder in its place is none. */
export function textOfFile(object: GitObject | undefined): string | undefined {
  return object?.type === 'blob' ? object.content : undefined;
}

/** The sizes of objects in bytes, without reading them; undefined for those that do not exist. */
export async function sizesOf(
  gitDir: string,
  names: readonly string[],
): Promise<readonly (number | undefined)[]> {
  const sizes = await checkEach(gitDir, names, 'objectsize', /^\d+$/);
  return sizes.map((size) => (size === undefined ? undefined : Number(size)));
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
export function treesOf(
  gitDir: string,
  commits: readonly string[],
): Promise<readonly (string | undefined)[]> {
  const names = commits.map((commit) => `${commit}^{tree}`);
  return checkEach(gitDir, names, 'objectname', /^[0-9a-f]{40,64}$/);
}

/** One thing that Git knows of each object without reading it, where the answer has this form. */
async function checkEach(
  gitDir: string,
  names: readonly string[],
  asked: 'objectsize' | 'objectname',
  form: RegExp,
): Promise<readonly (string | undefined)[]> {
  const input = names.map((name) => `${name}\0`).join('');
  const output = await git(['cat-file', `--batch-check=%(${asked})`, '-z'], { ...inside(gitDir), input });
  const lines = output.split('\n', names.length);
  return requireWhole(
    gitDir,
    names,
    lines.map((line) => (form.test(line) ? line : undefined)),
  );
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
  try {
    return await git(command, inside(gitDir, literalPaths));
  } catch (fault) {
    if (fault instanceof GitError && fault.exitCode !== null) return undefined;
    throw fault;
  }
}

/** A commit as Git stores it. */
export interface CommitParts {
  readonly tree: string;
  /** Null for the first commit. */
  readonly parent: string | null;
  readonly message: string;
}

/** Reads a commit object; undefined if it is none that we could have written, such as a merge. */
export function commitFrom(object: string): CommitParts | undefined {
  const end = object.indexOf('\n\n');
  const head = /^tree ([0-9a-f]+)\n(?:parent ([0-9a-f]+)\n)?author .*\ncommitter .*$/.exec(
    object.slice(0, Math.max(0, end)),
  );
  if (head?.[1] === undefined) return undefined;
  return { tree: head[1], parent: head[2] ?? null, message: object.slice(end + 2) };
}

/**
 * Reads what every commit says, whoever made it, with however many parents, and whether or not it is signed;
 * undefined if it is none.
 */
export function anyCommitFrom(object: string) {
  const end = object.indexOf('\n\n');
  const [, tree, parents = ''] =
    /^tree ([0-9a-f]{40,64})\n((?:parent [0-9a-f]{40,64}\n)*)author /.exec(
      object.slice(0, Math.max(0, end)),
    ) ?? [];
  if (tree === undefined) return undefined;
  const ids = parents.split('\n').flatMap((line) => (line === '' ? [] : [line.slice('parent '.length)]));
  return { tree, parents: ids, message: object.slice(end + 2) };
}

/** The commit as `git fast-import` writes it with one signature for author and committer. */
export function commitObject({ tree, parent, message }: CommitParts, signature: string): string {
  const parents = parent === null ? '' : `parent ${parent}\n`;
  return `tree ${tree}\n${parents}author ${signature}\ncommitter ${signature}\n\n${message}`;
}

/** Our own author and committer at a time, in seconds since 1970. */
export function signatureAt(seconds: number): string {
  return `${coxswain.name} <${coxswain.email}> ${seconds} +0000`;
}

/** The id that Git gives a commit; the length of its tree's id tells which hash the repository uses. */
export function commitId(object: string, tree: string): string {
  const content = Buffer.from(object);
  return createHash(tree.length === 64 ? 'sha256' : 'sha1')
    .update(`commit ${content.length}\0`)
    .update(content)
    .digest('hex');
}

/** The author and committer of a commit. */
export interface Author {
  readonly name: string;
  readonly email: string;
}

/** The author of Coxswain's own commits. The address belongs to no account. */
export const coxswain: Author = { name: 'Coxswain', email: 'coxswain@noreply.invalid' };

/**
 * The environment in which Git names somebody as author and committer, at a time that Git can read or now.
 */
export function identityOf({ name, email }: Author, date?: string): Record<string, string> {
  return Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, name],
      [`GIT_${role}_EMAIL`, email],
      ...(date === undefined ? [] : [[`GIT_${role}_DATE`, date]]),
    ]),
  );
}

/** A commit of ours to which no ref leads: the same one for the same tree, parents, message and time. */
export async function makeCommit(
  gitDir: string,
  tree: string,
  made: { readonly parents: readonly string[]; readonly message: string; readonly at: string },
): Promise<string> {
  const { parents, message, at } = made;
  const command = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  return (await git(command, { ...inside(gitDir, identityOf(coxswain, at)), input: message })).trim();
}

/**
 * Makes a commit that a server has made and signed here, byte for byte, without fetching it; `payload` is the
 * commit without its signature, which is what was signed. False if that is not what the server has, because
 * it has another id.
 */
export async function writeSigned(
  gitDir: string,
  { sha, payload, signature }: { readonly sha: string; readonly payload: string; readonly signature: string },
): Promise<boolean> {
  const tree = anyCommitFrom(payload)?.tree;
  const object = formsOf(payload, signature).find(
    (form) => tree !== undefined && commitId(form, tree) === sha,
  );
  if (object === undefined) return false;
  await git(['hash-object', '-t', 'commit', '-w', '--stdin'], { ...inside(gitDir), input: object });
  return true;
}

/**
 * Git keeps a signature in a header, of which every line but the first begins with a space. GitHub also keeps
 * the line feed at its end, which Git leaves out.
 */
function formsOf(payload: string, signature: string): readonly string[] {
  const end = payload.indexOf('\n\n');
  return [signature, signature.trimEnd()].map(
    (text) => `${payload.slice(0, end)}\ngpgsig ${text.replaceAll('\n', '\n ')}${payload.slice(end)}`,
  );
}

/** Whether a commit in the repository has a signature, whoever made it. */
export async function isSigned(gitDir: string, commit: string): Promise<boolean> {
  const [object] = await readObjects(gitDir, [commit]);
  const [headers = ''] = object?.content.split('\n\n', 1) ?? [];
  return /^gpgsig(-sha256)? /m.test(headers);
}
