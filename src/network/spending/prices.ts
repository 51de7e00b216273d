import { type Price, publicPrices } from './price-table.ts';
import { inputOf, type Tokens } from './tokens.ts';

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
