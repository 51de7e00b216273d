import type { Exhausted, Expected, Limits } from './budget.ts';
import type { JournalEntry } from './journal.ts';
import type { Prices } from './prices.ts';
import { type Tokens, totalOf } from './tokens.ts';

type Amounts = Required<Limits>;

/** What runs and days have spent, by their names. */
export class Totals {
  readonly #amounts = new Map<string, Amounts>();

  constructor(days: ReadonlyMap<string, readonly JournalEntry[]>) {
    for (const [day, entries] of days)
      for (const { run, tokens, usd } of entries) this.add([run, day], tokens, usd);
  }

  of(name: string): Amounts {
    return this.#amounts.get(name) ?? { tokens: 0, usd: 0 };
  }

  add(names: readonly string[], tokens: Tokens, usd = 0): void {
    for (const name of names) {
      const before = this.of(name);
      this.#amounts.set(name, { tokens: before.tokens + totalOf(tokens), usd: before.usd + usd });
    }
  }
}

/** What a request cannot exceed. A model without a known price costs nothing, as far as we can tell. */
export function boundOf({ model, atMost }: Expected, prices: Prices): Amounts {
  const tokens = totalOf(atMost);
  // Nothing that is read costs more than to keep it for long.
  const dearest = { ...atMost, input: 0, long_cache_write: atMost.input + atMost.long_cache_write };
  const usd = Math.max(prices.costOf(model, dearest) ?? 0, prices.costOf(model, atMost) ?? 0);
  return { tokens, usd: Number.isNaN(usd) ? Number.POSITIVE_INFINITY : usd };
}

export interface Scope {
  readonly of: Exhausted['of'];
  readonly spent: Amounts;
  readonly limits: Limits;
  /** The bounds of the requests under way. */
  readonly pending: readonly Amounts[];
}

/**
 * Nothing if a request may begin. `wait` if the requests under way could use up the limit alone: if each of
 * them began while the others could not, then only the last one can exceed it.
 */
export function fits({ of, spent, limits, pending }: Scope): readonly (Exhausted | 'wait')[] {
  return (['tokens', 'usd'] as const).flatMap((unit): readonly (Exhausted | 'wait')[] => {
    const limit = limits[unit];
    if (limit === undefined) return [];
    if (spent[unit] >= limit) return [{ of, unit, limit }];
    const sum = pending.reduce((total, bound) => total + bound[unit], spent[unit]);
    return sum >= limit ? ['wait'] : [];
  });
}
