import { limits, type RaisableLimit, raisableLimits } from '../limits.ts';
import type { CommandSpec } from './spec.ts';

export interface BudgetCommand {
  readonly type: 'budget';
  /** In the unit of the limit. */
  readonly more: number;
  /** Null: of what is used up, or else of the first that is limited. */
  readonly limit: RaisableLimit | null;
}

const amount = /^\+\s*(?<dollar>\$)?(?<number>\d{1,12}(?:\.\d{1,2})?)(?<factor>[km])?\s*(?<unit>[a-z_ ]+)?$/i;

const units = new Map(
  raisableLimits.flatMap((limit) =>
    limits[limit].raised.units.map((unit) => [unit as string, limit] as const),
  ),
);

/** What follows `/budget` to raise a limit by so much: `+5 usd`, `+500k tokens`. */
export function amountText(limit: RaisableLimit, more: number): string {
  const { noun, raised } = limits[limit];
  const [unit] = raised.units;
  if (noun === null) return `+${Number.isInteger(more) ? more : more.toFixed(2)} ${unit}`;
  return `+${more % 1000 === 0 ? `${more / 1000}k` : more} ${unit}`;
}

const examples = raisableLimits.map((limit) => amountText(limit, limits[limit].raised.step));

export const expected = `expected how much more, as in ${listed(examples.map((text) => `\`${text}\``))}`;

function listed(texts: readonly string[]): string {
  return `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}

/** Raises a limit of this run. */
export const budget: CommandSpec<BudgetCommand> = {
  name: 'budget',
  usage: `/budget +<amount> [${raisableLimits.map((limit) => limits[limit].raised.units[0]).join('|')}]`,
  summary:
    'Raise a limit of this run, by default the one that is used up, and go on if it had stopped because of it: ' +
    `${examples.map((text) => `\`/budget ${text}\``).join(', ')}. The operator of the App may have a bound.`,
  needs: 'write',
  example: '+5',
  parse: ({ line }) => {
    const { dollar, number = '', factor = '', unit } = amount.exec(line)?.groups ?? {};
    const named = dollar === undefined ? unit?.trim().toLowerCase() : 'usd';
    const limit = named === undefined ? null : units.get(named);
    const more = Number(number) * (factors[factor.toLowerCase()] ?? 1);
    const isOne = limit !== undefined && (dollar === undefined || unit === undefined);
    if (!isOne || more === 0 || !isCountable(more, limit)) return { problem: expected };
    return { type: 'budget', more, limit };
  },
  print: ({ more, limit }) => `+${more} ${limit ?? ''}`.trim(),
};

/** Only money comes in parts; which limit is meant is perhaps not known yet. */
export function isCountable(more: number, limit: RaisableLimit | null): boolean {
  return Number.isInteger(more) || limit === null || limits[limit].noun === null;
}

const factors: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };
