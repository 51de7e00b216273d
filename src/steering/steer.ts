import { decide } from './decide.ts';
import type { Event } from './event.ts';
import { comesLast, type PendingEffect } from './pending-effect.ts';
import type { Effects, Ledger, Recorded } from './ports.ts';
import type { State } from './state.ts';
import { isOver } from './table.ts';
import { mayStayPending } from './withdrawing.ts';

/** Decides on an event and records the result; `act` acts on the state that it returns. */
export async function record(event: Event, ledger: Pick<Ledger, 'record'>): Promise<Recorded> {
  // `decide` is pure, so if another event was recorded first the ledger simply calls it again.
  if (!isClick(event)) return ledger.record(event, (before) => decide(before, event));
  let refused = false;
  const recorded = await ledger.record(event, (before) => {
    const verdict = decide(before, event);
    refused = verdict.outcome === 'next' && verdict.refuses === true;
    return refused ? { outcome: 'nothing' } : verdict;
  });
  return refused ? recordRefusal(event, ledger) : recorded;
}

/** A button can be clicked again once the reason to refuse is gone, but each click on it has the same id. */
function recordRefusal(event: Event, ledger: Pick<Ledger, 'record'>): Promise<Recorded> {
  const refusal = { ...event, id: `${event.id}@${event.at}` };
  return ledger.record(refusal, (before) => decide(before, refusal));
}

function isClick(event: Event): boolean {
  return event.type === 'said' && event.source.from === 'click';
}

interface ActPorts {
  readonly ledger: Pick<Ledger, 'defer'>;
  readonly effects: Effects;
}

/**
 * Performs the pending effects, then renders the state; answers that come last keep neither waiting. The
 * effects of a run that has ended count as done only when it is also rendered: no sweep looks at it again. A
 * state is rendered even if an effect fails, because the rendering decides what may be merged.
 */
export async function act(state: State, { ledger, effects }: ActPorts): Promise<void> {
  effects.engage(state);
  for (const last of [false, true]) {
    const pending = state.owed.filter((effect) => comesLast(effect) === last);
    const settle = () => {
      if (!isWorthRecording(pending, state)) return;
      const done = effectsDone(pending, { state, last });
      ledger.defer(done, (before) => decide(before, done));
    };
    const isEnd = isOver(state.standing.phase);
    const [performed] = await Promise.allSettled([effects.perform(pending, state)]);
    if (performed.status === 'fulfilled' && !isEnd) settle();
    if (!last) await effects.present(state);
    if (performed.status === 'rejected') throw performed.reason;
    if (isEnd) settle();
  }
}

/** Some effects need no commit of their own, as long as others will follow. */
function isWorthRecording(pending: readonly PendingEffect[], { standing }: State): boolean {
  return isOver(standing.phase) ? pending.length > 0 : !pending.every(mayStayPending);
}

function effectsDone(
  pending: readonly PendingEffect[],
  { state, last }: { readonly state: State; readonly last: boolean },
): Event {
  // The sequence number identifies the state and its pending effects; joined ids would have no bound.
  const id = `settled:${state.seq}${last ? ':last' : ''}`;
  return { type: 'settled', id, at: state.updated_at, paid: pending.map((effect) => effect.id) };
}
