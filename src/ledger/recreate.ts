import { git } from '../git/git.ts';
import { inside } from '../git/objects.ts';
import { listRemote, type RefUpdate } from '../git/remote.ts';
import type { Recorded } from '../steering/state/ports.ts';
import { append, type RetryLimits } from './append.ts';
import { type Entry, type EntryResult, planAppend } from './append-batch.ts';
import { fetchRef } from './directory.ts';
import { LedgerBroken, LedgerBusy, LedgerDeclined, LedgerKeyUnknown } from './errors.ts';
import { brokenRef, type RefNamespace } from './format.ts';
import { clearWay } from './obstacles.ts';
import type { RemoteLedger } from './remote-ledger.ts';

/** How often other processes may be first before `LedgerBusy` is thrown. */
const maxTries = 5;

/**
 * Replaces a lost ledger with a new one that starts with this event. The same atomic push moves what is there
 * now to another ref. A second process finds the new ledger and records as usual.
 */
export async function recreate(
  ledger: RemoteLedger,
  entry: Entry,
  retryLimits: RetryLimits,
): Promise<Recorded> {
  for (let tries = 0; tries < maxTries; tries++) {
    // Looked at first, so that what another process has put there since is not taken for what was lost.
    const there = await ledger.inDirectory(() => remains(ledger));
    if (!(await isLost(ledger))) return recordedIn(await append(ledger, [entry], retryLimits));
    const recorded = await replace(ledger, entry, there);
    if (recorded !== undefined) return recorded;
  }
  const { number, remote } = ledger.options;
  throw new LedgerBusy(
    `could not recreate the ledger of #${number} at ${remote.url}: other processes keep writing it`,
  );
}

async function isLost(ledger: RemoteLedger): Promise<boolean> {
  ledger.forget();
  try {
    await ledger.head();
    return false;
  } catch (fault) {
    if (isLoss(fault)) return true;
    throw fault;
  }
}

/** Whether the ledger that was found can never be this run's, or not as it is. */
export function isLoss(fault: unknown): boolean {
  return fault instanceof LedgerBroken || fault instanceof LedgerKeyUnknown;
}

/** Undefined if someone moved a ref meanwhile, or the outcome of the push is unknown. */
async function replace(
  ledger: RemoteLedger,
  entry: Entry,
  { found, here }: Remains,
): Promise<Recorded | undefined> {
  const aside = await asideRefs(ledger, here);
  const plan = planAppend(undefined, [withNote(entry, aside)]);
  if (plan.end === undefined) return recordedIn(plan.answers);
  const end = { ...plan.end, commit: await ledger.write(undefined, plan) };
  const pushed = await ledger.replace(found, end, aside);
  if (!pushed.landed) {
    if (await clearWay(ledger.options, pushed.message)) return undefined;
    if (pushed.kind !== 'declined') return undefined;
    throw new LedgerDeclined(`a new ledger for #${ledger.options.number}`, pushed.message);
  }
  ledger.remember(end, plan.steps);
  return recordedIn(plan.answers);
}

interface Remains {
  /** The current targets of the ledger's refs. */
  readonly found: ReadonlyMap<RefNamespace, string>;
  /** Those that could be fetched; what is larger than any ledger cannot be kept. */
  readonly here: readonly string[];
}

async function remains(ledger: RemoteLedger): Promise<Remains> {
  const refs = { open: ledger.ref('open'), closed: ledger.ref('closed') };
  const there = await listRemote(ledger.options.remote, Object.values(refs));
  const found = new Map<RefNamespace, string>();
  const here: string[] = [];
  for (const namespace of ['open', 'closed'] as const) {
    const target = there.get(refs[namespace]);
    if (target === undefined) continue;
    found.set(namespace, target);
    here.push(...(await fetched(ledger, refs[namespace])));
  }
  return { found, here };
}

/** What the ref points to; nothing if that could not be fetched. */
async function fetched({ options }: RemoteLedger, ref: string): Promise<readonly string[]> {
  const { dir, remote } = options;
  try {
    if (!(await fetchRef(dir, remote, ref))) return [];
    return [(await git(['rev-parse', '--verify', ref], inside(dir))).trim()];
  } catch (fault) {
    if (fault instanceof LedgerBroken) return [];
    throw fault;
  }
}

/** A ref for each object to keep, unless one already exists. */
async function asideRefs(ledger: RemoteLedger, here: readonly string[]): Promise<readonly RefUpdate[]> {
  const { remote, number } = ledger.options;
  const kept = await listRemote(remote, [brokenRef(number, '*')]);
  const unkept = [...new Set(here)].filter((sha) => ![...kept.values()].includes(sha));
  return unkept.map((sha) => {
    const short = brokenRef(number, sha.slice(0, 7));
    return { ref: kept.has(short) ? brokenRef(number, sha) : short, from: null, to: sha };
  });
}

function withNote(entry: Entry, aside: readonly RefUpdate[]): Entry {
  if (aside.length === 0) return entry;
  const refs = aside.map(({ ref }) => ref).join(' and ');
  return { ...entry, note: `The previous content is kept as ${refs}` };
}

function recordedIn([answer]: readonly EntryResult[]): Recorded {
  if (answer === undefined) throw new Error('the ledger returned no answer');
  if ('failed' in answer) throw answer.failed;
  return answer.recorded;
}
