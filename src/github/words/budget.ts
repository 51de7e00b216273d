import type { BudgetName, Cost } from '../../steering/attempt-result.ts';
import type { RaisableLimit } from '../../steering/settings.ts';
import { limitsOf, spentBefore } from '../../steering/spending.ts';
import type { State } from '../../steering/state.ts';
import { costPhrase, counted, usdText } from '../../text/amounts.ts';
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
  unknown: () =>
    `Raise the limit in ${code('.github/coxswain.yml')} on the default branch, then use ${command('retry')}.`,
};

const examples: Readonly<Record<RaisableLimit, string>> = {
  tokens: '/budget +500k tokens',
  cost_usd: '/budget +5 usd',
  tool_calls: '/budget +100 calls',
};

function raise(limit: RaisableLimit, state: State): string {
  const now = limitsOf(state)[limit];
  const most = state.settings.most?.[limit];
  const bound =
    most === undefined ? '' : ` The operator of Coxswain allows at most ${amountText(limit, most)}.`;
  return (
    `The limit is ${now === undefined ? 'gone' : amountText(limit, now)} (${code(`limits.${limit}`)}). ` +
    `To raise it for this run and go on: ${code(examples[limit])}.${bound} For every run: raise it in ` +
    `${code('.github/coxswain.yml')} on the default branch, then use ${command('retry')}.`
  );
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
