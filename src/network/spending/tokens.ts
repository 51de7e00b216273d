/** What a request to a model used, by the kinds that providers bill differently. They do not overlap. */
export interface Tokens {
  /** Read for the first time, and not kept. */
  readonly input: number;
  /** Read from the provider's cache. */
  readonly cached_input: number;
  /** Read and kept in the cache for a few minutes. */
  readonly cache_write: number;
  /** Read and kept in the cache for hours, which costs more. */
  readonly long_cache_write: number;
  /** Written, reasoning included. */
  readonly output: number;
}

export const noTokens: Tokens = { input: 0, cached_input: 0, cache_write: 0, long_cache_write: 0, output: 0 };

/** What one request used, as far as it is known. */
export interface Usage {
  /** As the provider names it, else as the request did. */
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
