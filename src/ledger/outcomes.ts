import { join } from 'node:path';
import { runExclusive } from '../git/keyed-mutex.ts';
import { pushRefusalOf } from '../git/push-refusal.ts';
import { pushRefs, type RefUpdate } from '../git/remote.ts';
import type { Outcome } from '../steering/shapes/task.ts';
import { inSoundDirectory, remakeDirectory } from './directory.ts';
import { LedgerBusy, LedgerDeclined } from './errors.ts';
import { brokenOutcomesRef, outcomesRef } from './format.ts';
import { clearRefs } from './obstacles.ts';
import {
  type FoundOutcomes,
  findOutcomes,
  lastPlace,
  latestOf,
  type OutcomeLine,
  type OutcomeLines,
  type OutcomesPlace,
  outcomeLine,
  writeOutcomes,
} from './outcome-file.ts';

interface OutcomesOptions extends OutcomesPlace {
  /** Called with what an operator should know. */
  readonly onNotice: (text: string) => void;
  /** How long an append is tried, in milliseconds; 60,000 by default. */
  readonly deadlineMs?: number;
}

/** What can be believed of a repository's outcomes; `why` not more is part of a sentence. */
interface OutcomesReading {
  /** The newest of each pull request, newest last; none if anything is wrong. */
  readonly lines: readonly OutcomeLine[];
  readonly why?: string;
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

  /** Reads the ref. Throws if the remote cannot be reached. */
  read(): Promise<OutcomesReading> {
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
