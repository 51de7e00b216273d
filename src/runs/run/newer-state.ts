import { isBefore } from '../../steering/shapes/time.ts';
import type { State } from '../../steering/state/state.ts';

/** A restored ledger is newer than the lost one, whatever the number of events in that one. */
export function isNewer(state: State, than: State): boolean {
  // That state stood for a ledger that could not be read; now it can.
  if (than.standing.phase === 'paused' && than.standing.why === 'ledger_lost') return true;
  const [restored = '', before = ''] = [state.restored?.at, than.restored?.at];
  if (restored === before) return state.seq > than.seq;
  return restored !== '' && (before === '' || isBefore(before, restored));
}
