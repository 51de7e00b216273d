import type { LeaseId } from './lease.ts';
import type { In, State } from './state.ts';

/** Whether this lease is the current one: fences off results from any other. */
export function holdsLease(
  state: State | undefined,
  { holder, attempt, iteration }: LeaseId,
): state is In<'working' | 'verifying'> {
  if (state?.standing.phase !== 'working' && state?.standing.phase !== 'verifying') return false;
  const { hold } = state.standing;
  return hold.holder === holder && hold.attempt === attempt && hold.iteration === iteration;
}
