import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coxswainAt } from './author.ts';
import { git } from './git.ts';
import { inside } from './objects.ts';

/** A file to add to a commit. */
interface NewFile {
  /** The commit it is added to, which is in the repository. */
  readonly base: string;
  readonly path: string;
  readonly text: string;
}

/** The tree of a commit with one file added; the same for the same commit and file. */
export async function treeWithFile(dir: string, { base, path, text }: NewFile): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-index-'));
  const { env, ...place } = inside(dir);
  const options = { ...place, env: { ...env, GIT_INDEX_FILE: join(folder, 'index') } };
  try {
    const blob = (await git(['hash-object', '-w', '--stdin'], { ...options, input: text })).trim();
    await git(['read-tree', base], options);
    await git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], options);
    return (await git(['write-tree'], options)).trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A commit of ours with this tree, dated like the one it is based on, so that equal ones are the same. */
export async function commitTree(
  dir: string,
  { base, tree, message }: { readonly base: string; readonly tree: string; readonly message: string },
): Promise<string> {
  const { env, ...place } = inside(dir);
  const at = (await git(['show', '--no-patch', '--format=%cI', base], { ...place, env })).trim();
  const command = ['commit-tree', tree, '-p', base, '-F', '-'];
  return (await git(command, { ...place, env: { ...env, ...coxswainAt(at) }, input: message })).trim();
}
