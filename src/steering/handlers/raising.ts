import { expected, isCountable } from '../commands/budget.ts';
import { limitsOf, spentOf } from '../iterations/spending.ts';
import {
  accepted,
  type CommandEventOf,
  type Next,
  next,
  refuse,
  type Step,
  withReply,
} from '../iterations/step.ts';
import { type BudgetName, type RaisableLimit, raisableLimits } from '../shapes/limits.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { In, State } from '../state/state.ts';
import { goOn } from './resolving.ts';

/** People let a run spend more than its configuration does. */

/** Raises a limit; what works, or is asked, goes on as before. */
export function raiseBudget(state: State, event: CommandEventOf<'budget'>): Step {
  const raised = raisedBy(state, event);
  if ('refused' in raised) return raised;
  return replied(accepted(next(raised.state, {}, raised.subject), event), event, raised);
}

/** The same, and if the run had stopped because of that limit, it goes on. */
export function raiseAndGoOn(state: In<'awaiting_resolution'>, event: CommandEventOf<'budget'>): Step {
  const raised = raisedBy(state, event);
  if ('refused' in raised) return raised;
  if (exhaustedIn(state) !== raised.limit) return raiseBudget(state, event);
  const spent = spentOf(state, raised.limit);
  if (spent >= raised.to) {
    return refuse({ why: 'not_enough', limit: raised.limit, spent, raised: raised.to });
  }
  // Recorded as one event: who raises a limit wants the run to go on.
  const step = goOn(raised.state, { ...event, command: { type: 'retry' } }, 'attempt');
  return replied(accepted({ ...step, subject: raised.subject }, event), event, raised);
}

interface Raised {
  readonly limit: RaisableLimit;
  readonly to: number;
  readonly state: State;
  readonly subject: string;
}

function raisedBy(state: State, { command, by }: CommandEventOf<'budget'>): Raised | { refused: Refusal } {
  const exhausted = exhaustedIn(state);
  if (command.limit === null && exhausted !== undefined && isDaily(exhausted))
    return refuse({ why: 'no_limit', limit: null, daily: true });
  const limit = command.limit ?? raisableOf(exhausted) ?? limited(state);
  if (limit === undefined) return refuse({ why: 'no_limit', limit: null });
  const before = limitsOf(state)[limit];
  if (before === undefined) return refuse({ why: 'no_limit', limit });
  if (!isCountable(command.more, limit))
    return refuse({ why: 'misspoken', command: 'budget', problem: expected });
  const to = cents(before + command.more);
  const most = state.settings.most?.[limit];
  if (most !== undefined && to > most) return refuse({ why: 'beyond_operator', limit, most });
  const raised = { ...state.raised, [limit]: cents((state.raised?.[limit] ?? 0) + command.more) };
  return { limit, to, state: { ...state, raised }, subject: `${by.login} raised ${limit} to ${to}` };
}

function replied(step: Next, event: CommandEventOf<'budget'>, { limit, to }: Raised): Next {
  return withReply(step, event, { say: 'raised', limit, to });
}

/** The budget because of which the run has stopped. */
function exhaustedIn({ standing, attempts }: State): BudgetName | undefined {
  if (standing.phase !== 'awaiting_resolution') return undefined;
  if (standing.interrupt.type !== 'budget_exceeded') return undefined;
  return attempts.at(-1)?.failure?.budget;
}

function raisableOf(budget: BudgetName | undefined): RaisableLimit | undefined {
  return raisableLimits.find((name) => name === budget);
}

function isDaily(budget: BudgetName): boolean {
  return raisableOf(budget) === undefined;
}

function limited(state: State): RaisableLimit | undefined {
  const limits = limitsOf(state);
  return raisableLimits.find((limit) => limits[limit] !== undefined);
}

function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
