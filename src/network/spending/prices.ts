import { inputOf, type Tokens } from './model-budget.ts';

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

/** What a model costs, in USD per million tokens. */
export interface Price {
  /** The name of a model; an operator's may be a glob, such as `gpt-*`. */
  readonly model: string;
  readonly input: number;
  readonly output: number;
  /** Where it is absent, it costs the same as input. */
  readonly cached_input?: number;
  /** Where it is absent, it costs the same as input. */
  readonly cache_write?: number;
  /** Where long prompts cost more: all of a request whose input exceeds `above` tokens is multiplied. */
  readonly long?: { readonly above: number; readonly input: number; readonly output: number };
}

/** USD for input, for input from the cache and for output, and the models that cost as much. */
type Row = readonly [input: number, cached_input: number, output: number, ...models: readonly string[]];

/** Where writing to the cache costs more than reading, it is so many times as much. */
function priced(rows: readonly Row[], writing: number, long?: Price['long']): readonly Price[] {
  return rows.flatMap(([input, cached_input, output, ...models]) => {
    const cache_write = Number((input * writing).toFixed(6));
    const price = { input, cached_input, cache_write, output, ...(long !== undefined && { long }) };
    return models.map((model) => ({ model, ...price }));
  });
}

const above272k = { above: 272_000, input: 2, output: 1.5 };
const above200k = { above: 200_000, input: 2, output: 1.5 };

const anthropic: readonly Row[] = [
  [10, 0.25, 50, 'claude-fable-5-1', 'claude-mythos-5-1'],
  [10, 1, 50, 'claude-fable-5', 'claude-mythos-5'],
  [4, 0.2, 20, 'claude-opus-5-5'],
  [5, 0.5, 25, 'claude-opus-5', 'claude-opus-4-8', 'claude-opus-4-7', 'claude-opus-4-6', 'claude-opus-4-5'],
  [15, 1.5, 75, 'claude-opus-4-1', 'claude-opus-4', 'claude-opus-4-0', 'claude-3-opus'],
  [2, 0.1, 10, 'claude-sonnet-5-5'],
  [2, 0.2, 10, 'claude-sonnet-5'],
  [3, 0.3, 15, 'claude-sonnet-4-6', 'claude-3-7-sonnet', 'claude-3-5-sonnet'],
  [1, 0.1, 5, 'claude-haiku-4-5'],
  [0.8, 0.08, 4, 'claude-3-5-haiku'],
  [0.25, 0.03, 1.25, 'claude-3-haiku'],
];

const openAiWriting: readonly Row[] = [
  [10, 1, 50, 'gpt-6-astra'],
  [2, 0.1, 10, 'gpt-6.1-sol'],
  [1, 0.05, 5, 'gpt-6.1-terra'],
  [2, 0.2, 10, 'gpt-6-sol'],
  [0.1, 0.01, 0.5, 'gpt-6-luna'],
  [5, 0.5, 30, 'gpt-5.6', 'gpt-5.6-sol'],
  [2, 0.2, 12, 'gpt-5.6-terra'],
  [0.2, 0.02, 1.2, 'gpt-5.6-luna'],
];

const openAiLong: readonly Row[] = [
  [5, 0.5, 30, 'gpt-5.5'],
  [2.5, 0.25, 15, 'gpt-5.4'],
  [30, 30, 180, 'gpt-5.5-pro', 'gpt-5.4-pro'],
];

const openAi: readonly Row[] = [
  [0.75, 0.075, 4.5, 'gpt-5.4-mini'],
  [0.2, 0.02, 1.25, 'gpt-5.4-nano'],
  [1.75, 0.175, 14, 'gpt-5.3-codex', 'gpt-5.2', 'gpt-5.2-codex'],
  [21, 21, 168, 'gpt-5.2-pro'],
  [1.25, 0.125, 10, 'gpt-5.1', 'gpt-5.1-codex', 'gpt-5.1-codex-max', 'gpt-5', 'gpt-5-codex'],
  [0.25, 0.025, 2, 'gpt-5.1-codex-mini', 'gpt-5-mini'],
  [0.05, 0.005, 0.4, 'gpt-5-nano'],
  [15, 15, 120, 'gpt-5-pro'],
  [2, 0.5, 8, 'gpt-4.1', 'o3'],
  [0.4, 0.1, 1.6, 'gpt-4.1-mini'],
  [0.1, 0.025, 0.4, 'gpt-4.1-nano'],
  [2.5, 1.25, 10, 'gpt-4o'],
  [0.15, 0.075, 0.6, 'gpt-4o-mini'],
  [1.1, 0.55, 4.4, 'o3-mini'],
  [20, 20, 80, 'o3-pro'],
  [1.1, 0.275, 4.4, 'o4-mini'],
];

const gemini: readonly Row[] = [
  // Half of the later price until the end of 2026.
  [0.75, 0.075, 3.75, 'gemini-3.8-flash', 'gemini-3.7-flash', 'gemini-3.6-flash'],
  [1.5, 0.15, 9, 'gemini-3.5-flash'],
  [0.3, 0.03, 2.5, 'gemini-3.5-flash-lite', 'gemini-2.5-flash'],
  [0.1, 0.01, 0.4, 'gemini-2.5-flash-lite'],
];

const geminiLong: readonly Row[] = [
  [2, 0.2, 12, 'gemini-3.1-pro'],
  [1.25, 0.125, 10, 'gemini-2.5-pro'],
];

/**
 * The standard tier of each provider's own API, for texts, as read on 2026-11-23 from
 * https://platform.claude.com/docs/en/about-claude/pricing,
 * https://developers.openai.com/api/docs/pricing and
 * https://ai.google.dev/gemini-api/docs/pricing.
 */
export const publicPrices: readonly Price[] = [
  // For five minutes.
  ...priced(anthropic, 1.25),
  ...priced([[3, 0.3, 15, 'claude-sonnet-4-5', 'claude-sonnet-4', 'claude-sonnet-4-0']], 1.25, above200k),
  ...priced([[0.1, 0.01, 0.5, 'claude-haiku-5-5']], 1.25, { above: 100_000, input: 5, output: 5 }),
  ...priced(openAiWriting, 1.25, above272k),
  ...priced(openAiLong, 1, above272k),
  ...priced(openAi, 1),
  ...priced(gemini, 1),
  ...priced(geminiLong, 1, above200k),
];
