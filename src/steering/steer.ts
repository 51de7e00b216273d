import { decide } from './decide.ts';
import type { Event } from './event.ts';
import type { Ports } from './ports.ts';
import type { State } from './state.ts';

/** Decide, remember, act. */
export async function steer(event: Event, { ledger, effects }: Ports): Promise<void> {
  // Deciding is pure, so when somebody else's event was recorded first the ledger simply asks again.
  const { state } = await ledger.record(event, (before) => decide(before, event));
  if (state !== undefined) await act(state, { ledger, effects });
}

/** Performs what is pending, then draws the pull request as the state says. */
export async function act(state: State, { ledger, effects }: Ports): Promise<void> {
  effects.engage(state);
  await effects.perform(state.owed, state);
  if (state.owed.length > 0) ledger.defer(settled(state), (before) => decide(before, settled(state)));
  await effects.present(state);
}

function settled(state: State): Event {
  const paid = state.owed.map(({ id }) => id);
  // The number names the state, and with it all that was pending: ids that are joined have no bound.
  return { type: 'settled', id: `settled:${state.seq}`, at: state.updated_at, paid };
}
