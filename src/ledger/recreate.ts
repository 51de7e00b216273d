import { git } from '../git/git.ts';
import { inside } from '../git/objects.ts';
import { listRemote, type RefUpdate } from '../git/remote.ts';
import type { Recorded } from '../steering/ports.ts';
import { land, type Patience } from './append.ts';
import { fetchRef } from './directory.ts';
import { LedgerBroken, LedgerBusy, LedgerDeclined } from './errors.ts';
import { type Answer, draft, type Undertaking } from './plan.ts';
import { brokenRef, type Place } from './refs.ts';
import type { Book } from './remote-ledger.ts';

/** How often others may be first; then the event is tried again as a whole. */
const mostTries = 5;

/**
 * Begins a lost ledger anew with this event. What stands in its place is kept aside in the same push, all
 * or nothing; whoever comes second finds a ledger that is whole, and records there as usual.
 */
export async function beginAnew(book: Book, undertaking: Undertaking, patience: Patience): Promise<Recorded> {
  for (let tries = 0; tries < mostTries; tries++) {
    if (!(await isLost(book))) return recordedIn(await land(book, [undertaking], patience));
    const recorded = await replace(book, undertaking);
    if (recorded !== undefined) return recorded;
  }
  const { number, remote } = book.options;
  throw new LedgerBusy(`could not begin the ledger of #${number} at ${remote.url} anew: others write it`);
}

async function isLost(book: Book): Promise<boolean> {
  book.forget();
  try {
    await book.tip();
    return false;
  } catch (fault) {
    if (fault instanceof LedgerBroken) return true;
    throw fault;
  }
}

/** Undefined when somebody moved a ref meanwhile, or nobody knows whether the push landed. */
async function replace(book: Book, undertaking: Undertaking): Promise<Recorded | undefined> {
  const found = await book.inDirectory(() => remains(book));
  const aside = await asideRefs(book, found);
  const plan = draft(undefined, [withNote(undertaking, aside)]);
  if (plan.end === undefined) return recordedIn(plan.answers);
  const end = { ...plan.end, commit: await book.write(undefined, plan) };
  const pushed = await book.replace(found, end, aside);
  if (!pushed.landed) {
    if (pushed.kind !== 'declined') return undefined;
    throw new LedgerDeclined(`the ledger of #${book.options.number} anew`, pushed.message);
  }
  book.remember(end);
  return recordedIn(plan.answers);
}

/** What the ledger's refs point at now, whatever it is. */
async function remains(book: Book): Promise<ReadonlyMap<Place, string>> {
  const { dir, remote } = book.options;
  const found = new Map<Place, string>();
  for (const place of ['open', 'closed'] as const) {
    const ref = book.ref(place);
    if (!(await fetchRef(dir, remote, ref))) continue;
    found.set(place, (await git(['rev-parse', '--verify', ref], inside(dir))).trim());
  }
  return found;
}

/** A ref for each thing that must not be lost; what is kept already needs none. */
async function asideRefs(book: Book, found: ReadonlyMap<Place, string>): Promise<readonly RefUpdate[]> {
  const { remote, number } = book.options;
  const kept = await listRemote(remote, [brokenRef(number, '*')]);
  const things = [...new Set(found.values())].filter((sha) => ![...kept.values()].includes(sha));
  return things.map((sha) => {
    const short = brokenRef(number, sha.slice(0, 7));
    return { ref: kept.has(short) ? brokenRef(number, sha) : short, from: null, to: sha };
  });
}

function withNote(undertaking: Undertaking, aside: readonly RefUpdate[]): Undertaking {
  if (aside.length === 0) return undertaking;
  const refs = aside.map(({ ref }) => ref).join(' and ');
  return { ...undertaking, note: `What stood in its place is kept as ${refs}` };
}

function recordedIn([answer]: readonly Answer[]): Recorded {
  if (answer === undefined) throw new Error('the ledger gave no answer');
  if ('failed' in answer) throw answer.failed;
  return answer.recorded;
}
