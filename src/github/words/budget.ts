import type { BudgetName, Cost } from '../../steering/attempt-result.ts';
import { spentBefore } from '../../steering/spending.ts';
import type { State } from '../../steering/state.ts';
import { command } from './phrases.ts';
import { code } from './sanitize.ts';

/** What can be done where the run stopped for its budget; empty if it did not. */
export function budgetText(state: State): string {
  const { standing, attempts } = state;
  if (standing.phase !== 'awaiting_resolution' || standing.interrupt.type !== 'budget_exceeded') return '';
  const budget = attempts.at(-1)?.failure?.budget ?? 'unknown';
  return `${spentText(spentBefore(state))} ${remedies[budget](state)}`.trim();
}

/** `This run has used 4.20 USD and 2,000,000 tokens so far.` */
function spentText({ tokens, usd }: Cost): string {
  const amounts = [
    ...(usd === undefined ? [] : [`${usd.toFixed(2)} USD`]),
    ...(tokens === undefined ? [] : [`${tokens.toLocaleString('en-US')} tokens`]),
  ];
  return amounts.length === 0 ? '' : `This run has used ${amounts.join(' and ')} so far.`;
}

const remedies: { readonly [B in BudgetName | 'unknown']: (state: State) => string } = {
  tokens: ({ settings: { limits } }) => raise('limits.tokens', limits.tokens),
  cost_usd: ({ settings: { limits } }) => raise('limits.cost_usd', limits.cost_usd),
  tokens_per_day: () => ofDay('limits.tokens_per_day'),
  cost_usd_per_day: () => ofDay('limits.cost_usd_per_day'),
  unknown: () =>
    `Raise the limit in ${code('.github/coxswain.yml')} on the default branch, then use ${command('retry')}.`,
};

function raise(key: string, now: number | undefined): string {
  const value = now === undefined ? '' : ` (now ${code(String(now))})`;
  return (
    `To let it go on, raise ${code(key)}${value} in ${code('.github/coxswain.yml')} on the default branch, ` +
    `then use ${command('retry')}. The operator of an App may have set a lower maximum.`
  );
}

function ofDay(bound: string): string {
  return (
    `The budget of a day is for all runs together, and the operator of Coxswain sets it (${code(bound)}). ` +
    `It begins anew at 0:00 UTC: then use ${command('retry')}.`
  );
}
