import type { Cost } from '../shapes/attempt-result.ts';
import {
  type BudgetName,
  type Limits,
  limits,
  type RaisableLimit,
  raisableLimits,
} from '../shapes/limits.ts';
import type { State } from '../state/state.ts';
import { currentIteration, updateIteration } from './iteration.ts';

/** What the models of a run have cost so far, in all its attempts, also in those that failed. */
export function spentBefore({ iterations }: Pick<State, 'iterations'>): Cost {
  return iterations.reduce<Cost>((sum, { cost }) => add(sum, cost), {});
}

/** What the models of a run have cost so far, together with those of the runs in whose place it is. */
export function spentWithFormer({ iterations, replaces }: Pick<State, 'iterations' | 'replaces'>): Cost {
  return add(spentBefore({ iterations }), replaces?.spent ?? {});
}

/** What counts towards a limit so far; what is of one attempt is counted anew by each. */
export function spentOf(state: State, limit: RaisableLimit): number {
  const { tokens = 0, usd = 0 } = spentBefore(state);
  return { tokens, cost_usd: usd, tool_calls: 0 }[limit];
}

/** Whether people have raised a limit of the run so far that it is not used up any more. */
export function isRaisedEnough(state: State, budget: BudgetName | undefined): boolean {
  const limit = raisableLimits.find((name) => name === budget);
  if (limit === undefined || limits[limit].of === 'attempt') return false;
  const { [limit]: most } = limitsOf(state);
  return state.raised?.[limit] !== undefined && most !== undefined && spentOf(state, limit) < most;
}

/** The state with a cost added to the current iteration. */
export function withCost<S extends State>(state: S, cost: Cost): S {
  const sum = add(currentIteration(state).cost, cost);
  return { ...state, iterations: updateIteration(state, { cost: sum }) };
}

/** The limits of a run with what people added to them, within what the operator allows by now. */
export function limitsOf({ settings, raised = {} }: State): Limits {
  const { limits: configured, most = {} } = settings;
  const more = raisableLimits.flatMap((limit) => {
    const [own, added] = [configured[limit], raised[limit]];
    return own === undefined || added === undefined
      ? []
      : [[limit, Math.min(own + added, most[limit] ?? Infinity)] as const];
  });
  return { ...configured, ...Object.fromEntries(more) };
}

function add(one: Cost, other: Cost): Cost {
  const tokens = (one.tokens ?? 0) + (other.tokens ?? 0);
  const usd = Math.round(((one.usd ?? 0) + (other.usd ?? 0)) * 1e9) / 1e9;
  return { ...(tokens > 0 && { tokens }), ...(usd > 0 && { usd }) };
}

/** The state with this time, in seconds, added to what the current iteration has taken. */
export function withTime<S extends State>(state: S, seconds: number): S {
  const duration_s = sumOfSeconds(currentIteration(state).duration_s, seconds);
  return { ...state, iterations: updateIteration(state, { duration_s }) };
}

/** To a tenth, as durations are measured: sums of such numbers would show what is only binary rounding. */
export function sumOfSeconds(one: number, other: number): number {
  return Math.round((one + other) * 10) / 10;
}
