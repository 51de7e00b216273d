import { either } from '../phrases/phrases.ts';
import { limits, type RaisableLimit, raisableLimits } from '../shapes/limits.ts';
import { command } from './spec.ts';

interface BudgetCommand {
  readonly type: 'budget';
  /** In the unit of the limit. */
  readonly more: number;
  /** Null: of what is used up, or else of the first that is limited. */
  readonly limit: RaisableLimit | null;
}

const grammar =
  /^\+\s*(?<dollar>\$)?(?<number>\d{1,12}(?:\.\d{1,2})?)(?<factor>[km])?\s*(?<unit>[a-z_ ]+)?$/i;

const units = new Map(
  raisableLimits.flatMap((limit) =>
    limits[limit].raised.units.map((unit) => [unit as string, limit] as const),
  ),
);

/** What follows `/budget` to raise a limit by so much: `+5 usd`, `+500k tokens`. */
export function raiseText(limit: RaisableLimit, more: number): string {
  const { noun, raised } = limits[limit];
  const [unit] = raised.units;
  if (noun === null) return `+${Number.isInteger(more) ? more : more.toFixed(2)} ${unit}`;
  return `+${more % 1000 === 0 ? `${more / 1000}k` : more} ${unit}`;
}

const examples = raisableLimits.map((limit) => raiseText(limit, limits[limit].raised.step));

export const amountExpected = `expected how much more, as in ${either(examples.map((text) => `\`${text}\``))}`;

/** What becomes of the budget of a day; `retry` is the command, as it is shown. */
export function resetText(retry: string): string {
  return `It resets at 0:00 UTC. After that, use ${retry}.`;
}

export const operatorAllows = 'The operator of Coxswain allows at most';

/** Raises a limit of this run. */
export const budget = command<BudgetCommand>()({
  usage: `/budget +<amount> [${raisableLimits.map((limit) => limits[limit].raised.units[0]).join('|')}]`,
  summary:
    'Raise a limit of this run, by default the one that is used up, and continue if it stopped because of it: ' +
    `${examples.map((text) => `\`/budget ${text}\``).join(', ')}. The operator of the App may set a maximum.`,
  needs: 'write',
  followsApproval: true,
  example: '+5',
  wordsDecide: true,
  parse: ({ line }) => {
    const { dollar, number = '', factor = '', unit } = grammar.exec(line)?.groups ?? {};
    const named = dollar === undefined ? unit?.trim().toLowerCase() : 'usd';
    const limit = named === undefined ? null : units.get(named);
    const more = Number(number) * (factors[factor.toLowerCase()] ?? 1);
    const isOne = limit !== undefined && (dollar === undefined || unit === undefined);
    if (!isOne || more === 0 || !isCountable(more, limit)) return { problem: amountExpected };
    return { type: 'budget', more, limit };
  },
  print: ({ more, limit }) => `+${more} ${limit ?? ''}`.trim(),
  pointless: (_, { settings }) => raisableLimits.every((limit) => settings.limits[limit] === undefined),
  refusals: {
    /** There is nothing to raise; `daily`: what is used up is the operator's budget of the day. */
    no_limit: ({ limit, daily }: { limit: RaisableLimit | null; daily?: true }, { code }) =>
      daily
        ? 'The daily budget is used up. It is shared by all runs, and only the operator sets it. ' +
          resetText(code('/retry'))
        : `This run has no ${limit === null ? 'limit on tokens or money' : code(`limits.${limit}`)}, so there is nothing to raise.`,
    beyond_operator: ({ limit, most }: { limit: RaisableLimit; most: number }, { amount }) =>
      `${operatorAllows} ${amount(limit, most)} ` +
      `for ${limit === 'tool_calls' ? 'an attempt' : 'a run'}. Ask them, or raise it by less.`,
    not_enough: (
      { limit, spent, raised }: { limit: RaisableLimit; spent: number; raised: number },
      { amount },
    ) =>
      `The run has already used ${amount(limit, spent)}, so a limit of ${amount(limit, raised)} would stop it at once. ` +
      'Raise it by more.',
  },
  replies: {
    raised: ({ limit, to }: { limit: RaisableLimit; to: number }, { amount }) =>
      `${limits[limit].of === 'attempt' ? 'Each attempt of this run' : 'This run'} may now use ${amount(limit, to)}.`,
  },
});

/** Only money comes in parts; which limit is meant is perhaps not known yet. */
export function isCountable(more: number, limit: RaisableLimit | null): boolean {
  return Number.isInteger(more) || limit === null || limits[limit].noun === null;
}

const factors: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };
