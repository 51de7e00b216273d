import { git, ObjectDamaged } from '../git/git.ts';
import { inside, readFiles, sizesOf } from '../git/objects.ts';
import type { Event } from '../steering/state/event.ts';
import type { State } from '../steering/state/state.ts';
import { LedgerBroken } from './errors.ts';
import { parseEvents, parseState } from './format.ts';

/** One entry of a ledger: what happened, and how the run was before and after it. */
export interface LedgerStep {
  readonly seq: number;
  readonly event: Event;
  /** Undefined where the ledger begins. */
  readonly before: State | undefined;
  readonly after: State;
}

/** Entries of a ledger that follow each other, oldest first. */
export interface LedgerSteps {
  readonly steps: readonly LedgerStep[];
  /** Whether there are newer ones, which are read by asking again after the last of these. */
  readonly hasMore: boolean;
}

/** How much is read at once: the number of entries, and the bytes of their states. */
const maxSteps = 500;
const maxBytes = 16 * 1024 * 1024;

/**
 * The entries after the one with this number, from a repository that has their commits. The newest commit is
 * taken as it is, so it has to be one that is believed for other reasons; it vouches for those before it. A
 * number that the ledger has not reached is one of a ledger that was lost: then all entries are new. Throws
 * `ObjectDamaged` if commits are missing, which others may also have recorded while they were fetched.
 */
export async function readSteps(dir: string, commit: string, after: number): Promise<LedgerSteps> {
  const where = `ledger at ${commit}`;
  const [newest, log = ''] = await readFiles(dir, [`${commit}:state.json`, `${commit}:events.jsonl`]);
  const { seq } = parseState(newest, where);
  const events = parseEvents(log, where);
  const count = newerThan(after, { seq, entries: events.length });
  const first = events.length - count;
  const known = first > 0 ? 1 : 0;
  const texts = await readFiles(dir, await statesOf(dir, commit, { count, known }));
  const states = texts.map((text) => parseState(text, where));
  const steps = states.slice(known).map((state, nth): LedgerStep => {
    const event = events[first + nth];
    if (event === undefined || state.seq !== seq - count + 1 + nth)
      throw new LedgerBroken(`${where}: its commits do not have one event each`);
    return { seq: state.seq, event, before: states[known + nth - 1], after: state };
  });
  return { steps, hasMore: steps.length < count };
}

/** How many entries come after the one with this number: each has one event, one commit and one number. */
export function newerThan(
  after: number,
  { seq, entries }: { readonly seq: number; readonly entries: number },
): number {
  return after > seq ? entries : Math.min(seq - after, entries);
}

/** The names of the oldest states among the newest `count`, and of as many before them as are `known`. */
async function statesOf(
  dir: string,
  commit: string,
  { count, known }: { readonly count: number; readonly known: 0 | 1 },
): Promise<readonly string[]> {
  if (count === 0) return [];
  const needed = count + known;
  const command = ['rev-list', '--first-parent', '--reverse', `--max-count=${needed}`, commit, '--'];
  const commits = (await git(command, inside(dir))).trim().split('\n');
  if (commits.length < needed)
    throw new ObjectDamaged(`ledger at ${commit}: only ${commits.length} of ${needed} commits are there`);
  const names = commits.slice(0, maxSteps + known).map((each) => `${each}:state.json`);
  let bytes = 0;
  const fitting = (await sizesOf(dir, names)).findIndex((size = 0, nth) => {
    bytes += size;
    return bytes > maxBytes && nth > known;
  });
  return fitting === -1 ? names : names.slice(0, fitting);
}
