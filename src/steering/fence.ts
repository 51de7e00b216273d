import type { LeaseId } from './lease.ts';
import { isLeased } from './standing.ts';
import type { In, State } from './state.ts';

/** Whether this lease is the current one: fences off results from any other. */
export function holdsLease(
  state: State | undefined,
  { holder, attempt, iteration }: LeaseId,
): state is In<'working' | 'verifying'> {
  if (state === undefined || !isLeased(state.standing)) return false;
  const { hold } = state.standing;
  return hold.holder === holder && hold.attempt === attempt && hold.iteration === iteration;
}
