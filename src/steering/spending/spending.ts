import type { BudgetName, Cost } from '../attempt-result.ts';
import { currentIteration, updateIteration } from '../iterations.ts';
import type { Limits, RaisableLimit } from '../settings.ts';
import type { State } from '../state.ts';

/** What the models of a run have cost so far, in all its attempts, also in those that failed. */
export function spentBefore({ iterations }: Pick<State, 'iterations'>): Cost {
  return iterations.reduce<Cost>((sum, { cost }) => add(sum, cost), {});
}

/** What counts towards a limit so far; tool calls are counted anew by each attempt. */
export function spentOf(state: State, limit: RaisableLimit): number {
  const { tokens = 0, usd = 0 } = spentBefore(state);
  if (limit === 'tool_calls') return 0;
  return limit === 'tokens' ? tokens : usd;
}

/** Whether people have raised a limit of the run so far that it is not used up any more. */
export function isRaisedEnough(state: State, budget: BudgetName | undefined): boolean {
  if (budget !== 'tokens' && budget !== 'cost_usd') return false;
  const { [budget]: most } = limitsOf(state);
  return state.raised?.[budget] !== undefined && most !== undefined && spentOf(state, budget) < most;
}

/** The state with a cost added to the current iteration. */
export function withCost<S extends State>(state: S, cost: Cost): S {
  const sum = add(currentIteration(state).cost, cost);
  return { ...state, iterations: updateIteration(state, { cost: sum }) };
}

/** The limits of a run with what people added to them, within what the operator allows by now. */
export function limitsOf({ settings, raised = {} }: Pick<State, 'settings' | 'raised'>): Limits {
  const { limits, most = {} } = settings;
  const more = raisable.flatMap((limit) => {
    const [own, added] = [limits[limit], raised[limit]];
    return own === undefined || added === undefined
      ? []
      : [[limit, Math.min(own + added, most[limit] ?? Infinity)] as const];
  });
  return { ...limits, ...Object.fromEntries(more) };
}

/** Whether a run has a limit that people can raise. */
export function hasRaisable({ settings: { limits } }: Pick<State, 'settings'>): boolean {
  return raisable.some((limit) => limits[limit] !== undefined);
}

const raisable: readonly RaisableLimit[] = ['tokens', 'cost_usd', 'tool_calls'];

function add(one: Cost, other: Cost): Cost {
  const tokens = (one.tokens ?? 0) + (other.tokens ?? 0);
  const usd = Math.round(((one.usd ?? 0) + (other.usd ?? 0)) * 1e9) / 1e9;
  return { ...(tokens > 0 && { tokens }), ...(usd > 0 && { usd }) };
}
