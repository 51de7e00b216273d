import { amountText as moreText, operatorAllows, resetText } from '../../steering/commands/budget.ts';
import { currentIteration } from '../../steering/iterations/iterations.ts';
import { limitsOf, spentBefore, spentOf } from '../../steering/iterations/spending.ts';
import { isInProgress } from '../../steering/phases/table.ts';
import type { Cost } from '../../steering/shapes/attempt-result.ts';
import { type BudgetName, limits, type RaisableLimit, raisableLimits } from '../../steering/shapes/limits.ts';
import type { State } from '../../steering/state/state.ts';
import { costPhrase, costText, counted, usdText } from '../../text/amounts.ts';
import { command, configFile, thenRetry } from './phrases.ts';
import { code } from './sanitize.ts';

/** What can be done where the run stopped for its budget; empty if it did not. */
export function budgetText(state: State): string {
  const { standing, attempts } = state;
  if (standing.phase !== 'awaiting_resolution' || standing.interrupt.type !== 'budget_exceeded') return '';
  return `${spentText(spentBefore(state))} ${remedy(attempts.at(-1)?.failure?.budget, state)}`.trim();
}

function remedy(budget: BudgetName | undefined, state: State): string {
  if (budget === undefined) return `Raise the limit in ${configFile(state)} ${thenRetry}`;
  const limit = raisableLimits.find((name) => name === budget);
  return limit === undefined ? ofDay(`limits.${budget}`) : raise(limit, state);
}

/** `This run has used 4.20 USD and 2,000,000 tokens so far.` */
function spentText(cost: Cost): string {
  const amounts = costPhrase(cost);
  return amounts === '' ? '' : `This run has used ${amounts} so far.`;
}

function raise(limit: RaisableLimit, state: State): string {
  const now = limitsOf(state)[limit];
  if (now === undefined) return `The limit no longer applies: use ${command('retry')}.`;
  const most = state.settings.most?.[limit];
  const known = `The limit is ${amountText(limit, now)} (${code(`limits.${limit}`)}).`;
  const bound = most === undefined ? '' : ` ${operatorAllows} ${amountText(limit, most)}`;
  const more = moreFor(limit, state, now);
  if (more === undefined) return `${known}${bound}: ask them to allow more, then use ${command('retry')}.`;
  return (
    `${known} To raise it for this run and go on: ${code(`/budget ${moreText(limit, more)}`)}.${bound && `${bound}.`} ` +
    `For every run: raise it in ${configFile(state)} ${thenRetry}`
  );
}

/** By how much to raise a limit so that the run can go on; undefined if the operator's bound forbids it. */
function moreFor(limit: RaisableLimit, state: State, now: number): number | undefined {
  const { step } = limits[limit].raised;
  const missing = spentOf(state, limit) - now;
  const wanted = Math.max(step, step * (Math.floor(missing / step) + 1));
  // In whole cents, which no fraction of a binary number may turn into one more.
  const left = Math.floor(((state.settings.most?.[limit] ?? Infinity) - now) * 100 + 1e-6) / 100;
  const more = Math.min(wanted, left);
  return more > 0 && more > missing ? more : undefined;
}

/** `4.20 USD`, `2,000,000 tokens` or `500 tool calls`. */
export function amountText(limit: RaisableLimit, amount: number): string {
  const { noun } = limits[limit];
  return noun === null ? usdText(amount) : counted(amount, noun);
}

function ofDay(bound: string): string {
  return (
    `The daily budget is shared by all runs, and the operator of Coxswain sets it (${code(bound)}). ` +
    resetText(command('retry'))
  );
}

/**
 * What a run has cost; empty while work is in progress, which would have to be drawn again after each
 * attempt, and where the budget is the subject anyway.
 */
export function costLine(state: State): string {
  const all = costText(spentBefore(state));
  if (all === '' || isInProgress(state.standing.phase) || budgetText(state) !== '') return '';
  if (state.iteration === 0) return `**Cost** ${all}.`;
  const current = costText(currentIteration(state).cost);
  if (current === '') return `**Cost** ${all}; no cost was reported for this iteration.`;
  return `**Cost** ${all}; this iteration: ${current}.`;
}
