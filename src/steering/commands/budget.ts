import type { RaisableLimit } from '../settings.ts';
import type { CommandSpec } from './spec.ts';

export interface BudgetCommand {
  readonly type: 'budget';
  /** In the unit of the limit. */
  readonly more: number;
  /** Null: of what is used up, or else of the first that is limited: money, tokens, tool calls. */
  readonly limit: RaisableLimit | null;
}

const amount = /^\+\s*(?<dollar>\$)?(?<number>\d{1,12}(?:\.\d{1,2})?)(?<factor>[km])?\s*(?<unit>[a-z_ ]+)?$/i;

const units = new Map<string, RaisableLimit>([
  ...['$', 'usd', 'dollar', 'dollars', 'cost_usd'].map((unit) => [unit, 'cost_usd'] as const),
  ...['token', 'tokens'].map((unit) => [unit, 'tokens'] as const),
  ...['call', 'calls', 'tool calls', 'tool_calls'].map((unit) => [unit, 'tool_calls'] as const),
]);

export const expected = 'expected how much more, as in `+5 usd`, `+500k tokens` or `+100 calls`';

/** Raises a limit of this run. */
export const budget: CommandSpec<BudgetCommand> = {
  name: 'budget',
  usage: '/budget +<amount> [usd|tokens|calls]',
  summary:
    'Raise a limit of this run, by default the one that is used up, and go on if it had stopped because of it: ' +
    '`/budget +5 usd`, `/budget +500k tokens`, `/budget +100 calls`. The operator of the App may have a bound.',
  needs: 'write',
  parse: ({ line }) => {
    const { dollar, number = '', factor = '', unit } = amount.exec(line)?.groups ?? {};
    const named = dollar ?? unit?.trim().toLowerCase();
    const limit = named === undefined ? null : units.get(named);
    const more = Number(number) * (factors[factor.toLowerCase()] ?? 1);
    const isOne = limit !== undefined && (dollar === undefined || unit === undefined);
    if (!isOne || more === 0 || !isCountable(more, limit)) return { problem: expected };
    return { type: 'budget', more, limit };
  },
};

/** Only money comes in parts; which limit is meant is perhaps not known yet. */
export function isCountable(more: number, limit: RaisableLimit | null): boolean {
  return Number.isInteger(more) || limit === 'cost_usd' || limit === null;
}

const factors: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };
