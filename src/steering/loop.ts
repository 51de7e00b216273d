import { decide } from './decide.ts';
import { isOver } from './phases/table.ts';
import type { Event, EventOf } from './state/event.ts';
import { comesLast, isNotification, mayStayPending, type Performable } from './state/pending-effect.ts';
import type { Effects, Ledger, Performed, Recorded, Verdict } from './state/ports.ts';
import type { State } from './state/state.ts';

/** What was decided last about an event, on which state, and what of that is in the ledger. */
export interface Decided extends Recorded {
  readonly before: State | undefined;
  /** Undefined if the ledger had the event already. */
  readonly verdict: Verdict | undefined;
}

/** Decides on an event and records the result; `act` acts on the state that it returns. */
export async function record(event: Event, ledger: Pick<Ledger, 'record'>): Promise<Decided> {
  if (!isClick(event)) return recordUnless(() => false, event, ledger);
  const decided = await recordUnless(isRefusal, event, ledger);
  return isRefusal(decided.verdict) ? recordRefusal(event, ledger) : decided;
}

/**
 * A button can be clicked again once the reason to refuse is gone, but each click on it has the same id. If
 * the reason is gone before the refusal is recorded, the click counts as itself: under another id it would
 * twice.
 */
async function recordRefusal(event: Event, ledger: Pick<Ledger, 'record'>): Promise<Decided> {
  const refusal = { ...event, id: `${event.id}@${event.at}` };
  const counts = (verdict?: Verdict) => verdict?.outcome === 'next' && !isRefusal(verdict);
  const decided = await recordUnless(counts, refusal, ledger);
  return counts(decided.verdict) ? record(event, ledger) : decided;
}

async function recordUnless(
  isLeftOut: (verdict: Verdict) => boolean,
  event: Event,
  ledger: Pick<Ledger, 'record'>,
): Promise<Decided> {
  let before: State | undefined;
  let verdict: Verdict | undefined;
  // `decide` is pure, so if another event was recorded first the ledger simply calls it again.
  const recorded = await ledger.record(event, (state) => {
    before = state;
    verdict = decide(state, event);
    return isLeftOut(verdict) ? { outcome: 'nothing' } : verdict;
  });
  return { ...recorded, before, verdict };
}

function isRefusal(verdict: Verdict | undefined): boolean {
  return verdict?.outcome === 'next' && verdict.refuses === true;
}

function isClick(event: Event): boolean {
  return event.type === 'said' && event.source.from === 'click';
}

interface ActPorts {
  readonly ledger: Ledger;
  readonly effects: Effects;
}

/**
 * Performs the pending effects, each on its own, and renders the state: neither waits for the other, because
 * the rendering decides what may be merged. Answers that come last keep nothing waiting. The effects of a run
 * that has ended count as done only when it is also rendered: no sweep looks at it again. Throws the first
 * fault when all is tried.
 */
export async function act(state: State, ports: ActPorts): Promise<void> {
  const { effects } = ports;
  effects.engage(state);
  const isEnd = isOver(state.standing.phase);
  const performing = performAll(state, effects, false);
  const presenting = outcomeOf(effects.present(state));
  const first = await performing;
  if (!isEnd) await settle(first.performed, state, false, ports);
  const undrawn = await presenting;
  if (isEnd && undrawn.length === 0) await settle(first.performed, state, false, ports);
  const last = await performAll(state, effects, true);
  await settle(last.performed, state, true, ports);
  const [fault] = [...first.faults, ...undrawn, ...last.faults];
  if (fault !== undefined) throw fault;
}

/** What GitHub refuses is recorded and shown at once: people would wait for it. */
async function settle(
  performed: readonly PerformedEffect[],
  state: State,
  last: boolean,
  { ledger, effects }: ActPorts,
): Promise<void> {
  if (!isWorthRecording(performed, state)) return;
  const done = effectsDone(performed, state, last);
  const apply = (before: State | undefined) => decide(before, done);
  if (done.impossible === undefined) return ledger.defer(done, apply);
  const recorded = await ledger.record(done, apply);
  if (recorded.state !== undefined) await effects.present(recorded.state);
}

interface PerformedEffect {
  readonly effect: Performable;
  readonly result: Performed;
}

/** What permits merging is taken back before anything is said; if that fails, people still get answers. */
async function performAll(state: State, effects: Effects, last: boolean) {
  const pending = pendingIn(state, last);
  const perform = async (effect: Performable): Promise<PerformedEffect> => ({
    effect,
    result: await effects.perform(effect, state),
  });
  const withdrawn = await Promise.allSettled(pending.filter(isWithdrawal).map(perform));
  const others = await Promise.allSettled(pending.filter((effect) => !isWithdrawal(effect)).map(perform));
  const ends = [...withdrawn, ...others];
  return {
    performed: ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : [])),
    faults: ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : [])),
  };
}

/** The fault with which it ended, if it did. */
function outcomeOf(work: Promise<void>): Promise<readonly unknown[]> {
  return work.then(
    () => [],
    (fault: unknown) => [fault],
  );
}

function isWithdrawal(effect: Performable): boolean {
  return effect.do === 'withdraw';
}

/** Some effects need no commit of their own, as long as others will follow. */
function isWorthRecording(performed: readonly PerformedEffect[], { standing }: State): boolean {
  if (isOver(standing.phase)) return performed.length > 0;
  return !performed.every(({ effect }) => mayStayPending(effect));
}

function effectsDone(performed: readonly PerformedEffect[], state: State, last: boolean): EventOf<'settled'> {
  const paid = performed.map(({ effect }) => effect.id);
  const impossible = performed.flatMap(({ effect: { id }, result }) =>
    result.outcome === 'impossible' ? [{ id, reason: result.reason }] : [],
  );
  return {
    ...{ type: 'settled', id: settledId(state, paid, last), at: state.updated_at, paid },
    ...(impossible.length > 0 && { impossible }),
  };
}

/**
 * The sequence number identifies the state and its pending effects; joined ids would have no bound. If some
 * failed, more of them may be done at the next try, and never fewer.
 */
function settledId(state: State, paid: readonly string[], last: boolean): string {
  const all = pendingIn(state, last);
  return `settled:${state.seq}${last ? ':last' : ''}${paid.length < all.length ? `:${paid.length}` : ''}`;
}

/** What comes last, or everything else. */
function pendingIn({ owed }: State, last: boolean): readonly Performable[] {
  return owed.filter(
    (effect): effect is Performable => !isNotification(effect) && comesLast(effect) === last,
  );
}
