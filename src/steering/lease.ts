import type { HoldName } from './event.ts';
import type { In, State } from './state.ts';

/** Whether work is held, and by this hold: the fence against every result that comes from another. */
export function isHeldBy(
  state: State | undefined,
  { holder, attempt, iteration }: HoldName,
): state is In<'working' | 'verifying'> {
  if (state?.standing.phase !== 'working' && state?.standing.phase !== 'verifying') return false;
  const { hold } = state.standing;
  return hold.holder === holder && hold.attempt === attempt && hold.iteration === iteration;
}
