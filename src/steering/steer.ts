import { decide } from './decide.ts';
import type { Event } from './event.ts';
import type { Ports } from './ports.ts';
import type { State } from './state.ts';

/** Decide, remember, act. */
export async function steer(event: Event, { ledger, effects }: Ports): Promise<void> {
  // Deciding is pure, so when somebody else's event was recorded first the ledger simply asks again.
  const { state } = await ledger.record(event, (before) => decide(before, event));
  if (state !== undefined) await settle(state, { ledger, effects });
}

/** Pays what the state owes, then draws the pull request as the state says. */
export async function settle(state: State, { ledger, effects }: Ports): Promise<void> {
  effects.engage(state);
  for (const owed of state.owed) await effects.pay(owed, state);
  if (state.owed.length > 0) ledger.defer(settled(state), (before) => decide(before, settled(state)));
  await effects.present(state);
}

function settled(state: State): Event {
  const paid = state.owed.map(({ id }) => id);
  // The number names the state, and with it all that it owed: ids that are joined have no bound.
  return { type: 'settled', id: `settled:${state.seq}`, at: state.updated_at, paid };
}
