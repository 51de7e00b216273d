import type { Cost } from './attempt-result.ts';
import { currentIteration, updateIteration } from './iterations.ts';
import type { Limits, RaisableLimit } from './settings.ts';
import type { State } from './state.ts';

/** What the models of a run have cost so far, in all its attempts, also in those that failed. */
export function spentBefore({ iterations }: Pick<State, 'iterations'>): Cost {
  return iterations.reduce<Cost>((sum, { cost }) => add(sum, cost), {});
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
  const usd = (one.usd ?? 0) + (other.usd ?? 0);
  return { ...(tokens > 0 && { tokens }), ...(usd > 0 && { usd }) };
}
