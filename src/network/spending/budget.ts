import type { Tokens, Usage } from './tokens.ts';

/** What a request could use, before it is sent. */
export interface Expected {
  /** As the request names it. */
  readonly model: string;
  /** What it will probably use: counts if we never learn more. */
  readonly likely: Tokens;
  /** What it cannot exceed; not finite if that is unknown. */
  readonly atMost: Tokens;
}

/** Decides whether requests to models may still be sent, and counts what they use. */
export interface Budget {
  /**
   * Waits while the requests under way could use up the budget without this one, so that never more than one
   * request exceeds it. Refuses when it is used up. Rejects if the signal aborts, or if the request cannot be
   * recorded: then it must not be sent.
   */
  admit(expected: Expected, signal?: AbortSignal): Promise<Admission>;
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

/** What an agent and people are told: what is used up, and where it can be raised. */
export function exhaustedText({ of, unit, limit }: Exhausted): string {
  const amount = unit === 'usd' ? `$${limit.toFixed(2)}` : `${limit.toLocaleString('en-US')} tokens`;
  const key = unit === 'usd' ? 'cost_usd' : 'tokens';
  if (of === 'run') {
    return `this run has used its budget of ${amount} (limits.${key} in .github/coxswain.yml)`;
  }
  return (
    `all runs together have used the budget of ${amount} for today ` +
    `(limits.${key}_per_day in the operator's file); the next day begins at 00:00 UTC`
  );
}
