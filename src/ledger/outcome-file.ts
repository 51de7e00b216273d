import { git, type Remote } from '../git/git.ts';
import { inside, makeCommit, readFiles, readObjects, sizesOf } from '../git/objects.ts';
import { listRemote } from '../git/remote.ts';
import type { Sealed, Seals } from '../seal/seals.ts';
import type { Outcome } from '../steering/shapes/task.ts';
import { fetchRef, inSoundDirectory } from './directory.ts';
import { LedgerBroken } from './errors.ts';
import { outcomesRef } from './format.ts';

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

const outcomesFile = 'outcomes.jsonl';

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
  const [file] = size > maxReadBytes ? [] : await readFiles(dir, [name]);
  if (type !== 'commit' || file === undefined)
    return { commit, lines: none, foreign: `it has no ${outcomesFile} of ours` };
  const lines = parseOutcomes(file, repositoryId, seals);
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
  const place = inside(dir);
  const blob = (await git(['hash-object', '-w', '--stdin'], { ...place, input: file })).trim();
  const entry = `100644 blob ${blob}\t${outcomesFile}\n`;
  const tree = (await git(['mktree'], { ...place, input: entry })).trim();
  return makeCommit(dir, tree, { parents: parent === null ? [] : [parent], message: `${subject}\n`, at });
}

/** A line of the outcomes as it is stored: JSON with the outcome, its place and its seal. */
export interface OutcomeLine {
  readonly text: string;
  readonly outcome: Outcome;
  /** Counts all lines that were ever appended. */
  readonly place: number;
}

/** What is in the file of a repository's outcomes. */
export interface OutcomeLines {
  /** Those that we can prove to have written, in their order. */
  readonly sound: readonly OutcomeLine[];
  /** Lines sealed with keys that this process does not have, as they are. */
  readonly unknown: readonly string[];
  /** The number of lines that nobody of ours wrote. */
  readonly forged: number;
}

/** Writes the line for an outcome, sealed for its repository and its place. */
export function outcomeLine(outcome: Outcome, place: number, seals: Seals): string {
  const seal = seals.seal(sealedOutcome(outcome, place));
  return JSON.stringify({ ...outcome, place, seal });
}

/** Reads the file of a repository; a line for another one is forged. */
function parseOutcomes(file: string, repositoryId: number, seals: Seals): OutcomeLines {
  const sound: OutcomeLine[] = [];
  const unknown: string[] = [];
  let forged = 0;
  for (const text of file.split('\n').filter((line) => line !== '')) {
    const read = parseLine(text, repositoryId, seals);
    if (read === 'unknown') unknown.push(text);
    else if (read === 'forged') forged += 1;
    else sound.push(read);
  }
  return { sound, unknown, forged };
}

/** Keeps the newest outcome of each pull request, newest last. */
export function latestOf(lines: readonly OutcomeLine[]): readonly OutcomeLine[] {
  const latest = new Map<number, OutcomeLine>();
  for (const line of lines) {
    const { number, seq } = line.outcome;
    const known = latest.get(number);
    if (known === undefined || known.outcome.seq <= seq) latest.set(number, line);
  }
  return [...latest.values()].sort((one, other) => one.place - other.place);
}

/** The place of the newest line; it is 0 where there is none. */
export function lastPlace({ sound }: OutcomeLines): number {
  return sound.reduce((most, { place }) => Math.max(most, place), 0);
}

function parseLine(text: string, repositoryId: number, seals: Seals): OutcomeLine | 'unknown' | 'forged' {
  const fields = objectIn(text);
  if (fields === undefined) return 'forged';
  const { place, seal, ...outcome } = fields;
  if (typeof place !== 'number' || typeof seal !== 'string' || outcome['repository_id'] !== repositoryId)
    return 'forged';
  // What is sealed is what we wrote, so that a sound seal proves the shape.
  const claimed = outcome as unknown as Outcome;
  const { seal: verdict } = seals.check(sealedOutcome(claimed, place), seal);
  if (verdict === 'unknown') return 'unknown';
  return verdict === 'sound' ? { text, outcome: claimed, place } : 'forged';
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // not JSON, so nobody of ours wrote it
  }
}

/** Runs in it have ended, so retired keys still prove what they sealed. */
function sealedOutcome(outcome: Outcome, place: number): Sealed {
  const { repository_id, number } = outcome;
  const parts = [String(repository_id), String(number), String(place), JSON.stringify(outcome)];
  return { label: 'outcome', parts, ended: true };
}
