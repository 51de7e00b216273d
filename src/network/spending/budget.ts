import type { Tokens, Usage } from './tokens.ts';

/** Decides whether requests to models may still be sent, and counts what they use. */
export interface Budget {
  /**
   * Refuses once a limit is passed; from nine tenths of it on, only four requests at a time are under way,
   * and others wait for one of them to end. `likely` counts if we never learn more. Rejects if the signal
   * aborts, or if the request cannot be recorded: then it must not be sent.
   */
  admit(likely: Usage, signal?: AbortSignal): Promise<Admission>;
  /** By the requests of this budget that have ended. */
  spent(): Spent;
  /** The same with those under way, by what is likely: for the end of an attempt, which waits for none. */
  spentAtEnd(): Spent;
}

export type Admission =
  | {
      readonly admitted: true;
      /** What the request used; undefined: nothing. Only the first call counts. */
      settle(usage: Usage | undefined): void;
    }
  | { readonly admitted: false; readonly exhausted: Exhausted };

/** A budget that is used up. */
export interface Exhausted {
  readonly of: 'run' | 'day';
  readonly unit: 'tokens' | 'usd';
  readonly limit: number;
  /** The requests that were under way when it was passed have used more than the limit. */
  readonly spent: number;
}

export interface SpentOnModel extends Tokens {
  readonly model: string;
  /** Absent if its price is not known. */
  readonly usd?: number;
}

export interface Spent {
  readonly tokens: number;
  /** For the models whose price is known; absent if there is none. */
  readonly usd?: number;
  readonly byModel: readonly SpentOnModel[];
  /** The models whose price is not known: no budget in money holds for them. */
  readonly unpriced: readonly string[];
  /** A provider did not say all of it. */
  readonly estimated: boolean;
}

/** Most that is spent; absent: no limit. */
export interface Limits {
  readonly tokens?: number;
  readonly usd?: number;
}

/** What an agent and people are told: what is used up, how much was spent, and where it can be raised. */
export function exhaustedText({ of, unit, limit, spent }: Exhausted): string {
  const amount = (value: number): string =>
    unit === 'usd' ? `$${value.toFixed(2)}` : `${value.toLocaleString('en-US')} tokens`;
  const used = `used ${amount(spent)} of the budget of ${amount(limit)}`;
  const key = unit === 'usd' ? 'cost_usd' : 'tokens';
  if (of === 'run') return `this run has ${used} (limits.${key} in .github/coxswain.yml)`;
  return (
    `all runs together have ${used} for today ` +
    `(limits.${key}_per_day in the operator's file); the next day begins at 00:00 UTC`
  );
}
