import type { Phase } from '../../src/steering/shapes/standing.ts';
import type { Event } from '../../src/steering/state/event.ts';
import type { Decide } from '../../src/steering/state/ports.ts';
import type { State } from '../../src/steering/state/state.ts';

/** The parts of a state that these tests inspect; a ledger stores any state it is given. */
interface Sample {
  readonly version: 3;
  readonly seq: number;
  readonly run: { readonly number: number };
  readonly standing: { readonly phase: Phase };
  readonly owed: State['owed'];
  readonly said: readonly string[];
}

export function eventOf(id: string, at = '2026-11-21T10:00:00Z'): Event {
  // Deciding is not tested here, so the smallest event is enough.
  return { type: 'settled', id, at, paid: [] };
}

/** Adds the event's id to the state and moves to the given phase, if any. */
export function appendingId(
  id: string,
  { phase, code = false, owed = [] }: { phase?: Phase; code?: boolean; owed?: State['owed'] } = {},
): Decide {
  return (state) => {
    const before = state as unknown as Sample | undefined;
    const next: Sample = {
      version: 3,
      seq: (before?.seq ?? 0) + 1,
      run: { number: 7 },
      standing: { phase: phase ?? before?.standing.phase ?? 'queued' },
      owed,
      said: [...(before?.said ?? []), id],
    };
    // A small stand-in for a state: the ledger reads no more of it than these fields.
    return { outcome: 'next', state: next as unknown as State, subject: `Note ${id}`, takes_code: code };
  };
}

export const nothing: Decide = () => ({ outcome: 'nothing' });

export function saidIn(state: State | undefined): readonly string[] {
  return (state as unknown as Sample | undefined)?.said ?? [];
}
