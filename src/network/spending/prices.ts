import { inputOf, type Tokens } from './budget.ts';

/** What models cost: the operator's own prices come before the public ones. */
export interface Prices {
  /** In USD; undefined if the price of the model is not known. */
  costOf(model: string, tokens: Tokens): number | undefined;
}

/** Keeping input for hours costs that much more than keeping it for minutes, at Anthropic and OpenAI. */
const longerInCache = 1.6;

/** The prices in force. An operator's may be globs; the longest that matches counts. */
export function pricesWith(own: readonly Price[] = []): Prices {
  const exact = new Map(publicPrices.map((price) => [price.model, price]));
  const globs = [...own]
    .sort((one, other) => other.model.length - one.model.length)
    .map((price) => ({ price, pattern: patternOf(price.model.toLowerCase()) }));
  const priceOf = (model: string) =>
    globs.find(({ pattern }) => namesOf(model).some((name) => pattern.test(name)))?.price ??
    namesOf(model).flatMap((name) => exact.get(name) ?? [])[0];
  return {
    costOf(model, tokens) {
      const price = priceOf(model);
      return price === undefined ? undefined : cost(price, tokens);
    },
  };
}

function cost(price: Price, tokens: Tokens): number {
  const { input, output, cached_input = input, cache_write = input, long } = price;
  const isLong = long !== undefined && inputOf(tokens) > long.above;
  const written = tokens.cache_write + tokens.long_cache_write * longerInCache;
  const read = tokens.input * input + tokens.cached_input * cached_input + written * cache_write;
  const total = read * (isLong ? long.input : 1) + tokens.output * output * (isLong ? long.output : 1);
  return total / 1_000_000;
}

/**
 * The names under which a model may be listed, the fullest first: a gateway puts providers in front, a
 * provider puts dates behind. Nothing else is left off: a `-mini` is another model.
 */
function namesOf(model: string): readonly string[] {
  const full = model.toLowerCase().replace(/\[[^\]]*\]$/, '');
  const own = full.slice(full.lastIndexOf('/') + 1);
  const dashed = own.startsWith('claude') ? own.replaceAll('.', '-') : own;
  return [...new Set([full, own, dashed, withoutVersion(dashed)])];
}

const versions = [
  /[-@]20\d{6}$/, // claude-opus-4-5-20251101, claude-opus-4-5@20251101
  /-20\d\d-[01]\d-[0-3]\d$/, // gpt-5.5-2026-04-23
  /-[01]\d-20\d\d$/, // gemini-2.5-flash-preview-09-2025
  /-00\d$/, // gemini-2.5-pro-001
  /-(?:chat-)?latest$/,
  /-preview$/,
];

function withoutVersion(name: string): string {
  // A name may have two of them, such as a date behind `-preview`.
  return versions.concat(versions).reduce((rest, version) => rest.replace(version, ''), name);
}

/** A glob in which only `*` is special; it also matches slashes. */
function patternOf(glob: string): RegExp {
  const parts = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

/** USD per million tokens. */
export interface Price {
  /** The name of a model; an operator's may be a glob, such as `gpt-*`. */
  readonly model: string;
  readonly input: number;
  readonly output: number;
  /** Absent: the same as input. */
  readonly cached_input?: number;
  /** Absent: the same as input. */
  readonly cache_write?: number;
  /** Where long prompts cost more: all of a request whose input exceeds `above` tokens is multiplied. */
  readonly long?: { readonly above: number; readonly input: number; readonly output: number };
}

const above272k = { above: 272_000, input: 2, output: 1.5 };
const above200k = { above: 200_000, input: 2, output: 1.5 };
const above100k = { above: 100_000, input: 5, output: 5 };

/**
 * The standard tier of each provider's own API, for texts, as read on 2026-11-23 from
 * https://platform.claude.com/docs/en/about-claude/pricing,
 * https://developers.openai.com/api/docs/pricing and
 * https://ai.google.dev/gemini-api/docs/pricing.
 */
export const publicPrices: readonly Price[] = [
  ...anthropic({ input: 10, output: 50, cached_input: 0.25 }, ['claude-fable-5-1', 'claude-mythos-5-1']),
  ...anthropic({ input: 10, output: 50, cached_input: 1 }, ['claude-fable-5', 'claude-mythos-5']),
  ...anthropic({ input: 4, output: 20, cached_input: 0.2 }, ['claude-opus-5-5']),
  ...anthropic({ input: 5, output: 25, cached_input: 0.5 }, [
    ...['claude-opus-5', 'claude-opus-4-8', 'claude-opus-4-7', 'claude-opus-4-6', 'claude-opus-4-5'],
  ]),
  ...anthropic({ input: 15, output: 75, cached_input: 1.5 }, [
    ...['claude-opus-4-1', 'claude-opus-4', 'claude-opus-4-0', 'claude-3-opus'],
  ]),
  ...anthropic({ input: 2, output: 10, cached_input: 0.1 }, ['claude-sonnet-5-5']),
  ...anthropic({ input: 2, output: 10, cached_input: 0.2 }, ['claude-sonnet-5']),
  ...anthropic({ input: 3, output: 15, cached_input: 0.3 }, [
    ...['claude-sonnet-4-6', 'claude-3-7-sonnet', 'claude-3-5-sonnet'],
  ]),
  ...anthropic(
    { input: 3, output: 15, cached_input: 0.3 },
    ['claude-sonnet-4-5', 'claude-sonnet-4', 'claude-sonnet-4-0'],
    above200k,
  ),
  ...anthropic({ input: 0.1, output: 0.5, cached_input: 0.01 }, ['claude-haiku-5-5'], above100k),
  ...anthropic({ input: 1, output: 5, cached_input: 0.1 }, ['claude-haiku-4-5']),
  ...anthropic({ input: 0.8, output: 4, cached_input: 0.08 }, ['claude-3-5-haiku']),
  ...anthropic({ input: 0.25, output: 1.25, cached_input: 0.03 }, ['claude-3-haiku']),

  { model: 'gpt-6-astra', input: 10, cached_input: 1, cache_write: 12.5, output: 50, long: above272k },
  { model: 'gpt-6.1-sol', input: 2, cached_input: 0.1, cache_write: 2.5, output: 10, long: above272k },
  { model: 'gpt-6.1-terra', input: 1, cached_input: 0.05, cache_write: 1.25, output: 5, long: above272k },
  { model: 'gpt-6-sol', input: 2, cached_input: 0.2, cache_write: 2.5, output: 10, long: above272k },
  { model: 'gpt-6-luna', input: 0.1, cached_input: 0.01, cache_write: 0.125, output: 0.5, long: above272k },
  { model: 'gpt-5.6', input: 5, cached_input: 0.5, cache_write: 6.25, output: 30, long: above272k },
  { model: 'gpt-5.6-sol', input: 5, cached_input: 0.5, cache_write: 6.25, output: 30, long: above272k },
  { model: 'gpt-5.6-terra', input: 2, cached_input: 0.2, cache_write: 2.5, output: 12, long: above272k },
  { model: 'gpt-5.6-luna', input: 0.2, cached_input: 0.02, cache_write: 0.25, output: 1.2, long: above272k },
  { model: 'gpt-5.5', input: 5, cached_input: 0.5, output: 30, long: above272k },
  { model: 'gpt-5.5-pro', input: 30, output: 180, long: above272k },
  { model: 'gpt-5.4', input: 2.5, cached_input: 0.25, output: 15, long: above272k },
  { model: 'gpt-5.4-pro', input: 30, output: 180, long: above272k },
  { model: 'gpt-5.4-mini', input: 0.75, cached_input: 0.075, output: 4.5 },
  { model: 'gpt-5.4-nano', input: 0.2, cached_input: 0.02, output: 1.25 },
  { model: 'gpt-5.3-codex', input: 1.75, cached_input: 0.175, output: 14 },
  { model: 'gpt-5.2', input: 1.75, cached_input: 0.175, output: 14 },
  { model: 'gpt-5.2-codex', input: 1.75, cached_input: 0.175, output: 14 },
  { model: 'gpt-5.2-pro', input: 21, output: 168 },
  { model: 'gpt-5.1', input: 1.25, cached_input: 0.125, output: 10 },
  { model: 'gpt-5.1-codex', input: 1.25, cached_input: 0.125, output: 10 },
  { model: 'gpt-5.1-codex-max', input: 1.25, cached_input: 0.125, output: 10 },
  { model: 'gpt-5.1-codex-mini', input: 0.25, cached_input: 0.025, output: 2 },
  { model: 'gpt-5', input: 1.25, cached_input: 0.125, output: 10 },
  { model: 'gpt-5-codex', input: 1.25, cached_input: 0.125, output: 10 },
  { model: 'gpt-5-mini', input: 0.25, cached_input: 0.025, output: 2 },
  { model: 'gpt-5-nano', input: 0.05, cached_input: 0.005, output: 0.4 },
  { model: 'gpt-5-pro', input: 15, output: 120 },
  { model: 'gpt-4.1', input: 2, cached_input: 0.5, output: 8 },
  { model: 'gpt-4.1-mini', input: 0.4, cached_input: 0.1, output: 1.6 },
  { model: 'gpt-4.1-nano', input: 0.1, cached_input: 0.025, output: 0.4 },
  { model: 'gpt-4o', input: 2.5, cached_input: 1.25, output: 10 },
  { model: 'gpt-4o-mini', input: 0.15, cached_input: 0.075, output: 0.6 },
  { model: 'o3', input: 2, cached_input: 0.5, output: 8 },
  { model: 'o3-mini', input: 1.1, cached_input: 0.55, output: 4.4 },
  { model: 'o3-pro', input: 20, output: 80 },
  { model: 'o4-mini', input: 1.1, cached_input: 0.275, output: 4.4 },

  // Half of the later price until the end of 2026.
  { model: 'gemini-3.8-flash', input: 0.75, cached_input: 0.075, output: 3.75 },
  { model: 'gemini-3.7-flash', input: 0.75, cached_input: 0.075, output: 3.75 },
  { model: 'gemini-3.6-flash', input: 0.75, cached_input: 0.075, output: 3.75 },
  { model: 'gemini-3.5-flash', input: 1.5, cached_input: 0.15, output: 9 },
  { model: 'gemini-3.5-flash-lite', input: 0.3, cached_input: 0.03, output: 2.5 },
  { model: 'gemini-3.1-pro', input: 2, cached_input: 0.2, output: 12, long: above200k },
  { model: 'gemini-2.5-pro', input: 1.25, cached_input: 0.125, output: 10, long: above200k },
  { model: 'gemini-2.5-flash', input: 0.3, cached_input: 0.03, output: 2.5 },
  { model: 'gemini-2.5-flash-lite', input: 0.1, cached_input: 0.01, output: 0.4 },
];

/** Writing to Anthropic's cache for five minutes costs a quarter more than reading. */
function anthropic(
  rates: Pick<Required<Price>, 'input' | 'output' | 'cached_input'>,
  models: readonly string[],
  long?: NonNullable<Price['long']>,
): readonly Price[] {
  const cache_write = Number((rates.input * 1.25).toFixed(6));
  return models.map((model) => ({ model, ...rates, cache_write, ...(long === undefined ? {} : { long }) }));
}
