import { join } from 'node:path';
import { git, gitBytes } from './git.ts';
import {
  entriesOfCommit,
  entriesOfIndex,
  environmentOf,
  type IndexEntry,
  isSameEntry,
  writeEntries,
} from './git-index.ts';
import type { Mirror } from './mirror.ts';
import { inside } from './objects.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

/** Files that replace those of a commit; null removes one. By path, of which each character is one byte. */
type Replacements = ReadonlyMap<string, IndexEntry | null>;

/** A file would have to be where others of the commit have a folder, or the other way round. */
export class FilesInTheWay extends Error {
  override name = 'FilesInTheWay';
}

/**
 * A commit in the mirror that is like another, with its parents, author and message, but for some files. No
 * ref leads to it, and the same replacements give the same commit. Throws `FilesInTheWay`.
 */
export async function mixedCommit(
  { dir }: Mirror,
  commit: string,
  replacements: Replacements,
): Promise<string> {
  return inTemporaryFolder('index', async (folder) => {
    const place = { mirrorDir: dir, worktree: folder, index: join(folder, 'index') };
    await git(['read-tree', commit], environmentOf(place));
    await writeEntries(place, replacements);
    const mixed = await entriesOfIndex(place);
    if (!isComplete(mixed, await entriesOfCommit(dir, commit), replacements))
      throw new FilesInTheWay(`other files of ${commit} are in the way`);
    return await withTree(dir, commit, (await git(['write-tree'], environmentOf(place))).trim());
  });
}

/** Git makes room for a file that takes the place of a folder by removing what is in it. */
function isComplete(
  mixed: ReadonlyMap<string, IndexEntry>,
  original: ReadonlyMap<string, IndexEntry>,
  replacements: Replacements,
): boolean {
  const isKept = [...original].every(
    ([path, entry]) => replacements.has(path) || isSameEntry(mixed.get(path), entry),
  );
  return isKept && [...replacements].every(([path, entry]) => isSameEntry(mixed.get(path), entry));
}

/** What a commit keeps when its tree is another; a signature would no longer hold. */
const keptHeaders = /^(?:parent|author|committer|encoding) /;

async function withTree(dir: string, commit: string, tree: string): Promise<string> {
  const object = (await gitBytes(['cat-file', 'commit', commit], inside(dir))).toString('latin1');
  const end = object.indexOf('\n\n');
  const kept = object
    .slice(0, end)
    .split('\n')
    .filter((line) => keptHeaders.test(line));
  const input = Buffer.from([`tree ${tree}`, ...kept].join('\n') + object.slice(end), 'latin1');
  return (await git(['hash-object', '-t', 'commit', '-w', '--stdin'], { ...inside(dir), input })).trim();
}

/** A file to add to a commit. */
interface NewFile {
  /** The commit it is added to, which is in the repository. */
  readonly base: string;
  readonly path: string;
  readonly text: string;
}

/** The tree of a commit with one file added; the same for the same commit and file. */
export function treeWithFile(dir: string, { base, path, text }: NewFile): Promise<string> {
  return inTemporaryFolder('index', async (folder) => {
    const options = inside(dir, { GIT_INDEX_FILE: join(folder, 'index') });
    const blob = (await git(['hash-object', '-w', '--stdin'], { ...options, input: text })).trim();
    await git(['read-tree', base], options);
    await git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], options);
    return (await git(['write-tree'], options)).trim();
  });
}
