import { decide } from './decide.ts';
import type { Event } from './event.ts';
import type { Ports } from './ports.ts';
import type { State } from './state.ts';

/** Decides on an event, records the result, and acts on it. */
export async function steer(event: Event, { ledger, effects }: Ports): Promise<void> {
  // `decide` is pure, so if another event was recorded first the ledger simply calls it again.
  const { state } = await ledger.record(event, (before) => decide(before, event));
  if (state !== undefined) await act(state, { ledger, effects });
}

/** Performs the pending effects, then renders the state on the pull request. */
export async function act(state: State, { ledger, effects }: Ports): Promise<void> {
  effects.engage(state);
  await effects.perform(state.owed, state);
  if (state.owed.length > 0) ledger.defer(settled(state), (before) => decide(before, settled(state)));
  await effects.present(state);
}

function settled(state: State): Event {
  const paid = state.owed.map(({ id }) => id);
  // The sequence number identifies the state and all its pending effects; joined ids would have no bound.
  return { type: 'settled', id: `settled:${state.seq}`, at: state.updated_at, paid };
}
