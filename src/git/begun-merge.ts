import { shortened } from '../text/characters.ts';
import { GitError, git, gitChunks } from './git.ts';
import { inside, literalPaths, makeCommit, readFiles } from './objects.ts';

/** A merge as far as Git can do it. */
export interface BegunMerge {
  /** The two commits, of which the first is that of the branch. */
  readonly head: string;
  readonly tip: string;
  /**
   * A commit of both to which no ref leads. It has what Git could merge, markers where it could not, and one
   * of the two versions of what has no lines.
   */
  readonly commit: string;
  /** They are in Git's order, and at most 50. */
  readonly conflicts: readonly Conflict[];
}

interface Conflict {
  /** Usually one; a file that was renamed counts with all its names. */
  readonly paths: readonly string[];
  /** Git names it `contents`, `modify/delete`, `binary` and so on. */
  readonly kind: string;
  /** Git's own sentence; a long one is cut. */
  readonly says: string;
}

/** A commit of the other side that has touched a path. */
export interface TouchingCommit {
  readonly sha: string;
  readonly author: string;
  readonly subject: string;
}

const maxConflicts = 50;
const maxSays = 500;

/** What Git makes of a merge, in which lines stand three ways where both have changed them. */
export async function beginMerge(
  gitDir: string,
  { head, tip, at }: { readonly head: string; readonly tip: string; readonly at: string },
): Promise<BegunMerge> {
  const command = ['-c', 'merge.conflictStyle=diff3', 'merge-tree', '--write-tree', '--messages', '-z'];
  const { tree, conflicts } = readConflicts(await mergeTree(gitDir, [...command, head, tip]));
  const message = `Begin to merge ${tip} into ${head}\n`;
  const commit = await makeCommit(gitDir, tree, { parents: [head, tip], message, at });
  return { head, tip, commit, conflicts };
}

/** Git ends with exit code 1 if there are conflicts, of which there can be any number. */
async function mergeTree(gitDir: string, command: readonly string[]): Promise<string> {
  const chunks: Buffer[] = [];
  await gitChunks(command, inside(gitDir), (chunk) => chunks.push(chunk)).catch((fault: unknown) => {
    if (!(fault instanceof GitError) || fault.exitCode !== 1) throw fault;
  });
  return String(Buffer.concat(chunks));
}

/**
 * Git prints the tree, the versions of each path, an empty field, and messages: paths, their number first.
 */
function readConflicts(output: string): { readonly tree: string; readonly conflicts: readonly Conflict[] } {
  const fields = output.split('\0');
  const [tree = ''] = fields;
  const found = new Map<string, Conflict>();
  for (let at = fields.indexOf('') + 1; /^\d+$/.test(fields[at] ?? ''); ) {
    const end = at + 1 + Number(fields[at]);
    const paths = fields.slice(at + 1, end);
    const kind = /^CONFLICT \((.*)\)$/.exec(fields[end] ?? '')?.[1];
    const says = shortened((fields[end + 1] ?? '').trim(), maxSays);
    const key = paths.join('\0');
    if (kind !== undefined && !found.has(key)) found.set(key, { paths, kind, says });
    at = end + 2;
  }
  return { tree, conflicts: [...found.values()].slice(0, maxConflicts) };
}

/** Who has changed paths on the other side, newest first, at most `max` commits. */
export async function touchingCommits(
  gitDir: string,
  { head, tip }: BegunMerge,
  { paths, max }: { readonly paths: readonly string[]; readonly max: number },
): Promise<readonly TouchingCommit[]> {
  const format = ['-z', '--format=%h%x01%an%x01%s', '--no-show-signature', `--max-count=${max}`];
  const command = ['log', ...format, `${head}..${tip}`, '--', ...paths];
  const listing = await git(command, inside(gitDir, literalPaths));
  return listing.split('\0').flatMap((record) => {
    const [sha = '', author = '', subject = ''] = record.trim().split('\u0001');
    return sha === '' ? [] : [{ sha, author: shortened(author, 60), subject: shortened(subject, 100) }];
  });
}

const marker = /^(?:(?:<{7}|>{7}|\|{7})(?: .*)?|={7})\r?$/gm;

/** Where a result still has markers of ours, or of their form that neither side has: paths, in order. */
export async function markersIn(
  gitDir: string,
  { head, tip, conflicts }: BegunMerge,
  result: string,
): Promise<readonly string[]> {
  const labelled = await filesWith(gitDir, [`< ${head}`, `> ${tip}`], result);
  const paths = [...new Set(conflicts.flatMap(({ paths }) => paths))];
  const names = [result, head, tip].flatMap((commit) => paths.map((path) => `${commit}:${path}`));
  const counts = (await readFiles(gitDir, names)).map((text = '') => [...text.matchAll(marker)].length);
  const countOf = (side: number, index: number) => counts[side * paths.length + index] ?? 0;
  const left = paths.filter((_, nth) => countOf(0, nth) > Math.max(countOf(1, nth), countOf(2, nth)));
  return [...new Set([...left, ...labelled])].sort();
}

async function filesWith(
  gitDir: string,
  texts: readonly string[],
  commit: string,
): Promise<readonly string[]> {
  const patterns = texts.flatMap((text) => ['-e', text]);
  const command = ['grep', '-l', '-z', '--text', '--fixed-strings', ...patterns, commit, '--'];
  try {
    const listing = await git(command, inside(gitDir));
    return listing.split('\0').flatMap((name) => (name === '' ? [] : [name.slice(commit.length + 1)]));
  } catch (fault) {
    // Nothing was found.
    if (fault instanceof GitError && fault.exitCode === 1) return [];
    throw fault;
  }
}
