import { type PushRefusal, pushRefusalOf } from '../git/push-refusal.ts';
import {
  type AppendPlan,
  type Entry,
  type EntryResult,
  type NextHead,
  planAppend,
  withoutArtefacts,
  withoutCode,
} from './append-batch.ts';
import { codeRef } from './attachments.ts';
import { isOfDirectory } from './directory.ts';
import { LedgerBusy, LedgerDeclined } from './errors.ts';
import type { LedgerHead } from './format.ts';
import { clearWay } from './obstacles.ts';
import type { RemoteLedger } from './remote-ledger.ts';

/** How long it is tried again. */
export interface RetryLimits {
  readonly deadlineMs: number;
  /** It gives 0 to 1, for the jitter. */
  readonly random: () => number;
}

/**
 * Adds a batch to the ledger: decide, write, push, and start over if another process was first. Returns one
 * answer per entry. Throws `LedgerBusy` at the deadline and `LedgerDeclined` if rules forbid the write.
 */
export async function append(
  ledger: RemoteLedger,
  batch: readonly Entry[],
  { deadlineMs, random }: RetryLimits,
): Promise<readonly EntryResult[]> {
  const deadline = performance.now() + deadlineMs;
  let current: PushTry = { entries: batch, pushed: [] };
  let forbidden = 0;
  for (let moved = 0; ; ) {
    const outcome = await tryOnce(ledger, current);
    if ('answers' in outcome) return outcome.answers;
    current = outcome.again;
    if (outcome.because === undefined) continue;
    forbidden = isForbidden(outcome.because) ? forbidden + 1 : 0;
    if (forbidden === maxForbidden) throw mayOnlyRead(ledger, outcome.because);
    const pause = random() * Math.min(longestPauseMs, shortestPauseMs * 2 ** moved++);
    if (performance.now() + pause > deadline) throw busyError(ledger, deadlineMs, outcome.because);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

const shortestPauseMs = 100;
const longestPauseMs = 3_000;

/** GitHub may take a moment to know a new token. */
const maxForbidden = 3;

/** What GitHub answers Git if the token may not write contents. */
function isForbidden({ message }: PushRefusal): boolean {
  return /returned error: 403/.test(message);
}

function mayOnlyRead({ options }: RemoteLedger, because: PushRefusal): LedgerBusy {
  const { number, remote } = options;
  const what = `could not write the ledger of #${number} at ${remote.url}: the token may only read`;
  const remedy = 'grant the App or the workflow `contents: write`';
  return new LedgerBusy(`${what}, so ${remedy}: ${because.message}`, { cause: because });
}

function busyError({ options }: RemoteLedger, deadlineMs: number, because: PushRefusal): LedgerBusy {
  const { number, remote } = options;
  const what = `could not write the ledger of #${number} at ${remote.url} within ${deadlineMs} ms`;
  return new LedgerBusy(`${what}: ${because.message}`, { cause: because });
}

interface PushTry {
  readonly entries: readonly Entry[];
  /** Pushes with an unknown outcome: one of these may have landed. */
  readonly pushed: readonly { readonly commit: string; readonly answers: readonly EntryResult[] }[];
  /** The directory has already been recreated once. */
  readonly recreated?: true;
  /** Refs that were in the way have already been looked for. */
  readonly cleared?: true;
}

/** `because` says why to pause before the next try. */
type Outcome =
  | { readonly answers: readonly EntryResult[] }
  | { readonly again: PushTry; readonly because?: PushRefusal };

async function tryOnce(ledger: RemoteLedger, current: PushTry): Promise<Outcome> {
  const read = await reachable(() => ledger.head());
  if ('refusal' in read) return { again: current, because: read.refusal };
  const { head, certain } = read.found;
  const landed = current.pushed.find(({ commit }) => commit === head?.commit);
  if (landed) return { answers: landed.answers };
  const plan = planAppend(head, current.entries);
  if (plan.commits.length > 0 && plan.end) return push(ledger, { head, plan, end: plan.end, current });
  if (certain) return { answers: plan.answers };
  // An event that changes nothing now may change something after what others have recorded since.
  ledger.forget();
  return { again: current };
}

async function reachable<T>(work: () => Promise<T>): Promise<{ found: T } | { refusal: PushRefusal }> {
  try {
    return { found: await work() };
  } catch (error) {
    const refusal = pushRefusalOf(error);
    if (refusal?.kind !== 'unreachable') throw error;
    return { refusal };
  }
}

interface Pushing {
  readonly head: LedgerHead | undefined;
  readonly plan: AppendPlan;
  readonly end: NextHead;
  readonly current: PushTry;
}

async function push(ledger: RemoteLedger, pushing: Pushing): Promise<Outcome> {
  const { head, plan, current } = pushing;
  const sent = await sentBy(ledger, pushing);
  if (sent === undefined) return { again: { ...current, recreated: true } };
  const { end, pushed } = sent;
  if (pushed.landed) {
    // Another process wrote the very same commit first, or others have closed the run: read the ledger again.
    if (!pushed.changed || (head === undefined && (await ledger.deleteIfAlsoClosed(end)))) {
      ledger.forget();
      return { again: current };
    }
    ledger.remember(end, plan.steps);
    return { answers: plan.answers };
  }
  if (!current.cleared && (await clearWay(ledger.options, pushed.message))) {
    ledger.forget();
    return { again: { ...current, cleared: true } };
  }
  if (pushed.kind === 'declined') return { again: withLessPayload(ledger, pushed, pushing) };
  if (isCodeAlone(pushed, plan)) return { again: withoutAnyCode(pushing, pushed) };
  ledger.forget();
  const tried = { commit: end.commit, answers: plan.answers };
  return { again: { ...current, pushed: [...current.pushed, tried] }, because: pushed };
}

/** Writes and pushes the commits; undefined if the directory was damaged and has been recreated. */
async function sentBy(ledger: RemoteLedger, { head, plan, end, current }: Pushing) {
  try {
    const written = { ...end, commit: await ledger.write(head, plan) };
    return { end: written, pushed: await ledger.push(head, written, plan.code) };
  } catch (cause) {
    if (current.recreated || !isOfDirectory(cause)) throw cause;
    await ledger.recreateDirectory();
    return undefined;
  }
}

/** Whether only the branch has moved, and not the ledger. */
function isCodeAlone({ kind, refs }: PushRefusal, { code }: AppendPlan): boolean {
  if (kind !== 'moved' || code === undefined) return false;
  return refs.length > 0 && refs.every((ref) => ref === codeRef(code));
}

function withoutAnyCode({ plan, current }: Pushing, { kind, message }: PushRefusal): PushTry {
  // An `unreachable` remote never gets here, because it says nothing about the code.
  const refusal = { kind: kind === 'moved' ? ('moved' as const) : ('declined' as const), message };
  return { ...current, entries: plan.entries.map((each) => withoutCode(each, refusal)) };
}

/** A rule declined the push: drop the code first, then the artefacts; the record itself must land. */
function withLessPayload(ledger: RemoteLedger, refusal: PushRefusal, pushing: Pushing): PushTry {
  const { plan, current } = pushing;
  const blamed = plan.code !== undefined && refusal.refs.includes(codeRef(plan.code));
  const artefacts = plan.entries.some((each) => each.artefacts.length > 0);
  if (plan.code && (blamed || !artefacts)) return withoutAnyCode(pushing, refusal);
  if (artefacts) {
    const withLessPayload = plan.entries.map((each) => withoutArtefacts(each, refusal.message));
    return { ...current, entries: withLessPayload };
  }
  throw new LedgerDeclined(`the ledger of #${ledger.options.number}`, refusal.message);
}
