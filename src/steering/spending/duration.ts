import { currentIteration, updateIteration } from '../iterations.ts';
import type { State } from '../state.ts';

/** The state with this time, in seconds, added to what the current iteration has taken. */
export function withTime<S extends State>(state: S, seconds: number): S {
  const duration_s = sumOfSeconds(currentIteration(state).duration_s, seconds);
  return { ...state, iterations: updateIteration(state, { duration_s }) };
}

/** To a tenth, as durations are measured: sums of such numbers would show what is only binary rounding. */
export function sumOfSeconds(one: number, other: number): number {
  return Math.round((one + other) * 10) / 10;
}
