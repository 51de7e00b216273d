import { coxswainAt } from '../git/commit-object.ts';
import { git, type Remote } from '../git/git.ts';
import { inside, readObjects, sizesOf } from '../git/objects.ts';
import { listRemote } from '../git/remote.ts';
import type { Seals } from '../seal/seals.ts';
import { fetchRef, inSoundDirectory, remakeDirectory } from './directory.ts';
import { LedgerBroken } from './errors.ts';
import { type OutcomeLines, parseOutcomes } from './outcome-lines.ts';
import { outcomesRef } from './refs.ts';

/** Where to look for the outcomes of a repository. */
export interface OutcomesPlace {
  /** A bare repository that may be deleted at any time. */
  readonly dir: string;
  readonly remote: Remote;
  readonly repositoryId: number;
  readonly seals: Seals;
}

/** What the ref of the outcomes has. */
export interface FoundOutcomes {
  /** Null if there is no such ref. */
  readonly commit: string | null;
  readonly lines: OutcomeLines;
  /** Why it is not all ours, in part of a sentence; absent if it is. */
  readonly foreign?: string;
}

export const outcomesFile = 'outcomes.jsonl';

/** More than a file of ours ever has, in bytes. */
const maxReadBytes = 16 * 1024 * 1024;

const none: OutcomeLines = { sound: [], unknown: [], forged: 0 };

/** Fetches the outcomes; those of `known` are not parsed again. */
export function findOutcomes(place: OutcomesPlace, known?: FoundOutcomes): Promise<FoundOutcomes> {
  return inSoundDirectory(place.dir, () => fetchOutcomes(place, known));
}

async function fetchOutcomes(place: OutcomesPlace, known: FoundOutcomes | undefined): Promise<FoundOutcomes> {
  const { dir, remote } = place;
  try {
    if (!(await fetchRef(dir, remote, outcomesRef))) return { commit: null, lines: none };
  } catch (fault) {
    if (!(fault instanceof LedgerBroken)) throw fault;
    const commit = (await listRemote(remote, [outcomesRef])).get(outcomesRef) ?? null;
    return { commit, lines: none, foreign: 'it is too large' };
  }
  const [tip] = await readObjects(dir, [outcomesRef]);
  if (tip === undefined) throw new Error(`could not read ${outcomesRef} in ${dir}`);
  return tip.sha === known?.commit ? known : parse(place, tip);
}

/** Anyone with write access may have pushed it, so sizes come before contents. */
async function parse(
  { dir, repositoryId, seals }: OutcomesPlace,
  { sha: commit, type }: { readonly sha: string; readonly type: string },
): Promise<FoundOutcomes> {
  const name = `${commit}:${outcomesFile}`;
  const [size = 0] = await sizesOf(dir, [name]);
  const [file] = size > maxReadBytes ? [] : await readObjects(dir, [name]);
  if (type !== 'commit' || file?.type !== 'blob')
    return { commit, lines: none, foreign: `it has no ${outcomesFile} of ours` };
  const lines = parseOutcomes(file.content, repositoryId, seals);
  if (lines.forged === 0) return { commit, lines };
  const count = `${lines.forged} ${lines.forged === 1 ? 'line' : 'lines'}`;
  return { commit, lines, foreign: `it has ${count} that Coxswain did not write` };
}

/** Writes a commit with the file alone; `at` is ISO 8601. */
export async function writeOutcomes(
  dir: string,
  commit: {
    readonly parent: string | null;
    readonly file: string;
    readonly subject: string;
    readonly at: string;
  },
): Promise<string> {
  const { parent, file, subject, at } = commit;
  const { env, ...place } = inside(dir);
  const blob = (await git(['hash-object', '-w', '--stdin'], { ...place, env, input: file })).trim();
  const entry = `100644 blob ${blob}\t${outcomesFile}\n`;
  const tree = (await git(['mktree'], { ...place, env, input: entry })).trim();
  const parents = parent === null ? [] : ['-p', parent];
  const options = { ...place, env: { ...env, ...coxswainAt(at) }, input: `${subject}\n` };
  return (await git(['commit-tree', tree, ...parents, '-F', '-'], options)).trim();
}

/** Every fetch leaves a pack with the whole file, so the folder is emptied now and then. */
export function emptyOutcomes(dir: string): Promise<void> {
  return remakeDirectory(dir);
}
