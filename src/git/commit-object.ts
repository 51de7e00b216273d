import { createHash } from 'node:crypto';
import { git } from './git.ts';
import { inside } from './objects.ts';

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

/** What every commit says, whoever made it, with however many parents, and whether or not it is signed. */
interface AnyCommit extends Pick<CommitParts, 'tree' | 'message'> {
  readonly parents: readonly string[];
}

/** Reads a commit object of anybody; undefined if it is none. */
export function anyCommitFrom(object: string): AnyCommit | undefined {
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

/** The environment in which Git names Coxswain as author and committer. */
export function coxswainAt(date: string): Record<string, string> {
  return identityOf(coxswain, date);
}

/** A commit of ours to which no ref leads: the same one for the same tree, parents, message and time. */
export async function makeCommit(
  gitDir: string,
  tree: string,
  {
    parents,
    message,
    at,
  }: { readonly parents: readonly string[]; readonly message: string; readonly at: string },
): Promise<string> {
  const { cwd, env } = inside(gitDir);
  const command = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  return (await git(command, { cwd, env: { ...env, ...coxswainAt(at) }, input: message })).trim();
}
