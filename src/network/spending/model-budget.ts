/** What a request to a model used, by the kinds that providers bill differently. They do not overlap. */
export type Tokens = Readonly<typeof noTokens>;

export const noTokens = {
  /** Read for the first time, and not kept. */
  input: 0,
  /** Read from the provider's cache. */
  cached_input: 0,
  /** Read and kept in the cache for a few minutes. */
  cache_write: 0,
  /** Read and kept in the cache for hours, which costs more. */
  long_cache_write: 0,
  /** Written, reasoning included. */
  output: 0,
};

/** What one request used, as far as it is known. */
export interface Usage {
  /** The name that the provider gives it, else that of the request. */
  readonly model: string;
  readonly tokens: Tokens;
  /** The provider did not say all of it. */
  readonly estimated: boolean;
}

export function sumOf(one: Tokens, other: Tokens): Tokens {
  return {
    input: one.input + other.input,
    cached_input: one.cached_input + other.cached_input,
    cache_write: one.cache_write + other.cache_write,
    long_cache_write: one.long_cache_write + other.long_cache_write,
    output: one.output + other.output,
  };
}

/** All that was read. Prices may depend on it. */
export function inputOf(tokens: Tokens): number {
  return tokens.input + tokens.cached_input + tokens.cache_write + tokens.long_cache_write;
}

/** All kinds together, as a budget of tokens counts them. */
export function totalOf(tokens: Tokens): number {
  return inputOf(tokens) + tokens.output;
}

/** Decides whether requests to models may still be sent, and counts what they use. */
export interface Budget {
  /**
   * Refuses once a limit is passed; from nine tenths of it on, only four requests at a time are under way,
   * and others wait for one of them to end. `likely` counts if we never learn more. Rejects if the signal
   * aborts, or if the request cannot be recorded: then it must not be sent.
   */
  admit(likely: Usage, signal?: AbortSignal): Promise<Admission>;
  /** What the requests of this budget used that have ended. */
  spent(): Spent;
  /**
   * What all requests of this budget used, those under way by what is likely: the end of an attempt waits for
   * none.
   */
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
  /** What the models cost whose price is known; absent if there is none. */
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
