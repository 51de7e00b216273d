import type { BudgetName, Cost } from '../../steering/attempt-result.ts';
import type { RaisableLimit } from '../../steering/settings.ts';
import { limitsOf, spentBefore, spentOf } from '../../steering/spending/spending.ts';
import type { State } from '../../steering/state.ts';
import { costPhrase, counted, usdText } from '../../text/amounts.ts';
import { command, configFile } from './phrases.ts';
import { code } from './sanitize.ts';

/** What can be done where the run stopped for its budget; empty if it did not. */
export function budgetText(state: State): string {
  const { standing, attempts } = state;
  if (standing.phase !== 'awaiting_resolution' || standing.interrupt.type !== 'budget_exceeded') return '';
  const budget = attempts.at(-1)?.failure?.budget ?? 'unknown';
  return `${spentText(spentBefore(state))} ${remedies[budget](state)}`.trim();
}

/** `This run has used 4.20 USD and 2,000,000 tokens so far.` */
function spentText(cost: Cost): string {
  const amounts = costPhrase(cost);
  return amounts === '' ? '' : `This run has used ${amounts} so far.`;
}

const remedies: { readonly [B in BudgetName | 'unknown']: (state: State) => string } = {
  tokens: (state) => raise('tokens', state),
  cost_usd: (state) => raise('cost_usd', state),
  tool_calls: (state) => raise('tool_calls', state),
  tokens_per_day: () => ofDay('limits.tokens_per_day'),
  cost_usd_per_day: () => ofDay('limits.cost_usd_per_day'),
  unknown: (state) =>
    `Raise the limit in ${configFile(state)} on the default branch, then use ${command('retry')}.`,
};

function raise(limit: RaisableLimit, state: State): string {
  const now = limitsOf(state)[limit];
  if (now === undefined) return `The limit is gone: use ${command('retry')}.`;
  const most = state.settings.most?.[limit];
  const known = `The limit is ${amountText(limit, now)} (${code(`limits.${limit}`)}).`;
  const bound =
    most === undefined ? '' : ` The operator of Coxswain allows at most ${amountText(limit, most)}`;
  const more = moreFor(limit, state, now);
  if (more === undefined) return `${known}${bound}: ask them to allow more, then use ${command('retry')}.`;
  return (
    `${known} To raise it for this run and go on: ${code(raising[limit](more))}.${bound && `${bound}.`} ` +
    `For every run: raise it in ${configFile(state)} on the default branch, then use ${command('retry')}.`
  );
}

const steps: Readonly<Record<RaisableLimit, number>> = { tokens: 500_000, cost_usd: 5, tool_calls: 100 };

const raising: { readonly [L in RaisableLimit]: (more: number) => string } = {
  tokens: (more) => `/budget +${more % 1000 === 0 ? `${more / 1000}k` : more} tokens`,
  cost_usd: (more) => `/budget +${Number.isInteger(more) ? more : more.toFixed(2)} usd`,
  tool_calls: (more) => `/budget +${more} calls`,
};

/** By how much to raise a limit so that the run can go on; undefined if the operator's bound forbids it. */
function moreFor(limit: RaisableLimit, state: State, now: number): number | undefined {
  const step = steps[limit];
  const missing = spentOf(state, limit) - now;
  const wanted = Math.max(step, step * (Math.floor(missing / step) + 1));
  // In whole cents, which no fraction of a binary number may turn into one more.
  const left = Math.floor(((state.settings.most?.[limit] ?? Infinity) - now) * 100 + 1e-6) / 100;
  const more = Math.min(wanted, left);
  return more > 0 && more > missing ? more : undefined;
}

/** `4.20 USD`, `2,000,000 tokens` or `500 tool calls`. */
export function amountText(limit: RaisableLimit, amount: number): string {
  if (limit === 'cost_usd') return usdText(amount);
  return counted(amount, limit === 'tokens' ? 'token' : 'tool call');
}

function ofDay(bound: string): string {
  return (
    `The budget of a day is for all runs together, and the operator of Coxswain sets it (${code(bound)}). ` +
    `It begins anew at 0:00 UTC: then use ${command('retry')}.`
  );
}
