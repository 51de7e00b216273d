import { join } from 'node:path';
import { git, type Remote } from '../git/git.ts';
import { runExclusive } from '../git/keyed-mutex.ts';
import { inside, makeCommit, readFiles, readObjects, sizesOf } from '../git/objects.ts';
import { pushRefusalOf } from '../git/push-refusal.ts';
import { listRemote, pushRefs, type RefUpdate } from '../git/remote.ts';
import type { Sealed, Seals } from '../seal/seals.ts';
import type { Outcome } from '../steering/shapes/task.ts';
import { fetchRef, inSoundDirectory, remakeDirectory } from './directory.ts';
import { LedgerBroken, LedgerBusy, LedgerDeclined } from './errors.ts';
import { brokenOutcomesRef, outcomesRef } from './format.ts';
import { clearRefs } from './obstacles.ts';

/** Where to look for the outcomes of a repository. */
interface OutcomesPlace {
  /** A bare repository that may be deleted at any time. */
  readonly dir: string;
  readonly remote: Remote;
  readonly repositoryId: number;
  readonly seals: Seals;
}

interface OutcomesOptions extends OutcomesPlace {
  /** Called with what an operator should know. */
  readonly onNotice: (text: string) => void;
  /** How long an append is tried, in milliseconds; 60,000 by default. */
  readonly deadlineMs?: number;
}

/** A line of the outcomes as it is stored: JSON with the outcome, its place and its seal. */
interface OutcomeLine {
  readonly text: string;
  readonly outcome: Outcome;
  /** Counts all lines that were ever appended. */
  readonly place: number;
}

/** What is in the file of a repository's outcomes. */
interface OutcomeLines {
  /** Those that we can prove to have written, in their order. */
  readonly sound: readonly OutcomeLine[];
  /** Lines sealed with keys that this process does not have, as they are. */
  readonly unknown: readonly string[];
  /** The number of lines that nobody of ours wrote. */
  readonly forged: number;
}

/** What the ref of the outcomes has. */
interface FoundOutcomes {
  /** Null if there is no such ref. */
  readonly commit: string | null;
  readonly lines: OutcomeLines;
  /** Why it is not all ours, in part of a sentence; absent if it is. */
  readonly foreign?: string;
}

/** How many lines are kept in the file, and how many bytes; older ones are in the history of the ref. */
export const maxLines = 10_000;
const maxBytes = 8 * 1024 * 1024;

/** The outcomes of one repository: one ref, a file of sealed lines, a commit for each that is appended. */
export class Outcomes {
  readonly #options: OutcomesOptions;
  /** The highest place that this process has read or written. */
  #known = 0;
  #found: FoundOutcomes | undefined;
  #fetches = 0;

  constructor(options: OutcomesOptions) {
    this.#options = options;
  }

  /**
   * Reads what can be believed: the newest line of each pull request, newest last, and none if anything is
   * wrong; `why` not more is part of a sentence. Throws if the remote cannot be reached.
   */
  read(): Promise<{ readonly lines: readonly OutcomeLine[]; readonly why?: string }> {
    return runExclusive(this.#options.dir, async () => {
      const found = await this.#find();
      const why = this.#objectionTo(found);
      if (why !== undefined) return { lines: [], why };
      this.#known = lastPlace(found.lines);
      return { lines: latestOf(found.lines.sound) };
    });
  }

  /**
   * Appends the outcome of a pull request in the place of an earlier one; nothing happens if it is there
   * already. Throws `LedgerBusy` at the deadline and `LedgerDeclined` if rules forbid the write.
   */
  async append(outcome: Outcome): Promise<void> {
    const { dir, deadlineMs = 60_000 } = this.#options;
    const deadline = performance.now() + deadlineMs;
    for (let tries = 0; ; tries++) {
      // Whoever only reads does not wait for the pauses.
      const because = await runExclusive(dir, () => this.#tryOnce(outcome));
      if (because === undefined) return;
      const pause = Math.random() * Math.min(longestPauseMs, shortestPauseMs * 2 ** tries);
      if (performance.now() + pause > deadline)
        throw new LedgerBusy(`could not write ${outcomesRef} within ${deadlineMs} ms: ${because}`);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** Why it has to be tried again, if it has. */
  async #tryOnce(outcome: Outcome): Promise<string | undefined> {
    try {
      return await inSoundDirectory(this.#options.dir, async () => {
        const found = await this.#find();
        return isThere(found, outcome) ? undefined : this.#push(found, outcome);
      });
    } catch (fault) {
      const refusal = pushRefusalOf(fault);
      if (refusal?.kind !== 'unreachable') throw fault;
      return unlessForbidden(refusal.message);
    }
  }

  async #push(found: FoundOutcomes, outcome: Outcome): Promise<string | undefined> {
    const { dir, remote, seals, onNotice } = this.#options;
    const place = Math.max(this.#known, lastPlace(found.lines)) + 1;
    const file = fileOf(found.lines, outcome, outcomeLine(outcome, place, seals));
    const parent = found.foreign === undefined ? found.commit : null;
    const subject = `#${outcome.number}: ${outcome.outcome.replaceAll('_', ' ')}`;
    const to = await writeOutcomes(dir, { parent, file, subject, at: outcome.ended_at });
    const pushed = await pushRefs({ dir, remote }, [
      { ref: outcomesRef, from: found.commit, to },
      ...aside(found),
    ]);
    if (pushed.landed) {
      this.#known = place;
      if (found.foreign !== undefined) onNotice(`${outcomesRef} was begun anew, because ${found.foreign}`);
      return undefined;
    }
    const isCleared = await clearRefs(
      { dir, remote, patterns: [`${outcomesRef}/*`], of: outcomesRef, onNotice },
      pushed.message,
    );
    if (pushed.kind === 'declined' && !isCleared) throw new LedgerDeclined(outcomesRef, pushed.message);
    return unlessForbidden(pushed.message);
  }

  async #find(): Promise<FoundOutcomes> {
    const { dir } = this.#options;
    this.#fetches += 1;
    if (this.#fetches % fetchesBeforeEmptying === 0) await remakeDirectory(dir);
    this.#found = await findOutcomes(this.#options, this.#found);
    return this.#found;
  }

  #objectionTo({ commit, lines, foreign }: FoundOutcomes): string | undefined {
    if (foreign !== undefined) return foreign;
    if (commit === null) return this.#known > 0 ? 'it is gone' : undefined;
    if (lines.unknown.length > 0) return 'it is sealed with a key that is not known here';
    return lastPlace(lines) < this.#known ? 'it was reset to an older one' : undefined;
  }
}

/** Nobody grants a permission within seconds. Throws `LedgerDeclined`. */
function unlessForbidden(message: string): string {
  if (/returned error: 403\b/.test(message)) throw new LedgerDeclined(outcomesRef, message);
  return message;
}

/** Every fetch leaves a pack with the whole file, so the folder is emptied now and then. */
const fetchesBeforeEmptying = 50;
const shortestPauseMs = 100;
const longestPauseMs = 3_000;

/** Where the outcomes of a repository are worked on. */
export function outcomesDir(data: string, repositoryId: number): string {
  return join(data, 'outcomes', String(repositoryId));
}

function isThere({ lines, foreign }: FoundOutcomes, { number, seq }: Outcome): boolean {
  return (
    foreign === undefined &&
    lines.sound.some(({ outcome }) => outcome.number === number && outcome.seq >= seq)
  );
}

/** What is not ours is kept under another ref, if it could be fetched. */
function aside({ commit, foreign, lines }: FoundOutcomes): readonly RefUpdate[] {
  if (foreign === undefined || commit === null || lines.forged === 0) return [];
  return [{ ref: brokenOutcomesRef(commit), from: null, to: commit }];
}

/** The file with a new line, which replaces that of the same pull request. */
function fileOf({ sound, unknown }: OutcomeLines, { number }: Outcome, line: string): string {
  const others = sound.filter(({ outcome }) => outcome.number !== number).map(({ text }) => text);
  const all = [...[...unknown, ...others].slice(1 - maxLines), line];
  let bytes = 0;
  const kept = all.toReversed().filter((text) => {
    bytes += Buffer.byteLength(text) + 1;
    return bytes <= maxBytes;
  });
  return `${kept.toReversed().join('\n')}\n`;
}

const outcomesFile = 'outcomes.jsonl';

/** More than a file of ours ever has, in bytes. */
const maxReadBytes = 16 * 1024 * 1024;

const none: OutcomeLines = { sound: [], unknown: [], forged: 0 };

/** Fetches the outcomes; those of `known` are not parsed again. */
function findOutcomes(place: OutcomesPlace, known?: FoundOutcomes): Promise<FoundOutcomes> {
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
function latestOf(lines: readonly OutcomeLine[]): readonly OutcomeLine[] {
  const latest = new Map<number, OutcomeLine>();
  for (const line of lines) {
    const { number, seq } = line.outcome;
    const known = latest.get(number);
    if (known === undefined || known.outcome.seq <= seq) latest.set(number, line);
  }
  return [...latest.values()].sort((one, other) => one.place - other.place);
}

/** The place of the newest line; it is 0 where there is none. */
function lastPlace({ sound }: OutcomeLines): number {
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
