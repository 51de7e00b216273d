import type { LeaseId } from './lease.ts';
import { isLeased, type Leased } from './standing.ts';
import type { State } from './state.ts';

/** Whether this lease is the current one: fences off results from any other. */
export function holdsLease(
  state: State | undefined,
  { holder, attempt, iteration }: LeaseId,
): state is State & { readonly standing: Leased } {
  if (state === undefined || !isLeased(state.standing)) return false;
  const { hold } = state.standing;
  return hold.holder === holder && hold.attempt === attempt && hold.iteration === iteration;
}
