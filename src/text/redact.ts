import { control, escapeSequence, ignorable } from './characters.ts';

/** Replaces each secret. */
export const redacted = '[REDACTED]';

/** Shorter values would also match ordinary words. */
const shortestValue = 6;

/**
 * The formats of known tokens, by issuer. Quantifiers are bounded so that matching stays linear on any input.
 */
const shapes = [
  // GitHub: personal, OAuth, user-to-server, server-to-server (which may carry dots), refresh, fine-grained.
  /(?<![A-Za-z0-9])gh[pousr]_(?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9_-])){16,}/g,
  /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{20,}/g,
  // AWS access key ids.
  /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  // Private keys in PEM, also when the end is missing or newlines are escaped.
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,6}-----|$)/g,
  // Slack.
  /(?<![A-Za-z0-9])(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}/g,
  /hooks\.slack\.com\/services\/[A-Za-z0-9/_-]{10,}/g,
  // OpenAI, Anthropic and similar; a digit distinguishes a key from a CSS class.
  /(?<![A-Za-z0-9])sk-(?=[A-Za-z0-9_-]{0,100}\d)[A-Za-z0-9_-]{20,}/g,
  // Stripe, Google, GitLab, npm, PyPI, Hugging Face.
  /(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g,
  /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}/g,
  /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20,}/g,
  /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}/g,
  /(?<![A-Za-z0-9])pypi-[A-Za-z0-9_-]{50,}/g,
  /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}/g,
  // JSON Web Tokens.
  /(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,200}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,}/g,
  // Recognized by the text in front of them, which is captured and kept.
  /((?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,30}:\/\/)[^\s/:@'"]{0,200}:[^\s/@'"]{1,500}(?=@)/g,
  /((?<![A-Za-z0-9+.-])https?:\/\/)[^\s/:@'"]{20,500}(?=@)/gi,
  /(authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:basic|bearer|token)\s{1,4})[A-Za-z0-9._~+/=-]{6,}/gi,
  /(aws_secret_access_key["']?\s{0,4}[:=]\s{0,4}["']?)[A-Za-z0-9/+=]{40}/gi,
].map(shapeOf);

type Shape = ReturnType<typeof shapeOf>;

/**
 * The loose form is for where something invisible was removed: a letter in front or behind may not belong to
 * the same word there.
 */
function shapeOf(anchored: RegExp) {
  const source = anchored.source.replace(/^\(?\(\?<![^)]*\)|\(\?!\[[^)]*\)$/g, (anchor) =>
    anchor.startsWith('((') ? '(' : '',
  );
  return { anchored, loose: new RegExp(source, anchored.flags) };
}

/**
 * Removes the known values and everything in the format of a token, also where a colour or an invisible
 * character splits it: later cleaning would make it whole. All other text stays as it is. Idempotent.
 */
export function redact(text: string, known: readonly string[] = []): string {
  const values = spellings(known);
  const find = (part: string, isStripped: boolean) => [
    ...values.flatMap((value) => placesOf(value, part)),
    ...shapes.flatMap((shape) => matchesOf(shape, part, isStripped)),
  ];
  let rest = text;
  // What stood next to a secret may now be recognized as one too.
  for (let pass = 0; pass < maxPasses; pass++) {
    const ranges = rangesOf(rest, find);
    if (ranges.length === 0) break;
    rest = withoutRanges(rest, ranges);
  }
  return rest;
}

const maxPasses = 10;

function withoutRanges(text: string, ranges: readonly Range[]): string {
  const ends = [0, ...ranges.map(({ to }) => to)];
  const parts = ranges.map(({ from }, index) => text.slice(ends[index], from) + redacted);
  return parts.join('') + text.slice(ends.at(-1));
}

function placesOf(value: string, text: string): readonly Range[] {
  const places: Range[] = [];
  for (let from = text.indexOf(value); from >= 0; from = text.indexOf(value, from + value.length))
    places.push({ from, to: from + value.length });
  return places;
}

/** What a shape captures in front of a secret is not part of it. */
function matchesOf({ anchored, loose }: Shape, text: string, isStripped: boolean): readonly Range[] {
  return [...text.matchAll(isStripped ? loose : anchored)].map(({ 0: match, 1: label = '', index }) => ({
    from: index + label.length,
    to: index + match.length,
  }));
}

/** Removes them from every string inside plain data. */
export function redactAll<T>(value: T, known: readonly string[] = []): T {
  const clean = (part: unknown): unknown => {
    if (typeof part === 'string') return redact(part, known);
    if (Array.isArray(part)) return part.map(clean);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, clean(inner)]));
  };
  // Strings are replaced by strings, so the type stays the same.
  return clean(value) as T;
}

/** A secret may appear verbatim, URL-encoded, in JSON, in Base64, or line by line. Longest first. */
function spellings(known: readonly string[]): string[] {
  const all = known.flatMap((value) => [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    Buffer.from(value).toString('base64'),
    Buffer.from(`x-access-token:${value}`).toString('base64'),
    ...value.split('\n').filter((line) => line.trim().length >= 16),
  ]);
  const distinct = [...new Set(all.map((value) => value.trim()))];
  return distinct
    .filter((value) => value.length >= shortestValue)
    .sort((one, other) => other.length - one.length);
}

/** Gives the values of variables whose names suggest a secret; a model's name or an address is not one. */
export function secretsIn(variables: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(variables).flatMap(([name, value]) =>
    /key|token|secret|password|credential/i.test(name) ? [value] : [],
  );
}

/** A part of a text, from one offset up to another. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the parts of a text that `find` finds in it, or would find after somebody removed what readers cannot
 * see, in whatever order. Of the latter only those count that have something invisible in or around them: the
 * others are in the text as it is.
 */
function rangesOf(text: string, find: (text: string, isStripped: boolean) => readonly Range[]): Range[] {
  const stripped = viewsOf(text).flatMap((view) => {
    const found = find(view.text, true).filter((range) => isSplit(view, range));
    return found.map(({ from, to }) => ({ from: offsetIn(view, from), to: offsetIn(view, to - 1) + 1 }));
  });
  return merged([...find(text, false), ...stripped]);
}

/** A text without some of its characters. */
interface View {
  readonly text: string;
  /** The parts that were kept: where each begins here, and where it began in `from`. */
  readonly starts: readonly number[];
  readonly origins: readonly number[];
  readonly from: View | undefined;
}

const both = new RegExp(`${control.source}|${ignorable.source}`, 'gu');

/** What may be removed, and in which order: what ends an escape sequence may itself begin a secret. */
const orders = [[escapeSequence, both], [ignorable, escapeSequence, control], [ignorable], [both]];

/** None if the text has nothing to remove. */
function viewsOf(text: string): readonly View[] {
  if (text.search(escapeSequence) < 0 && text.search(both) < 0) return [];
  const whole = { text, starts: [0], origins: [0], from: undefined };
  return orders.map((patterns) => patterns.reduce(without, whole));
}

function without(from: View, pattern: RegExp): View {
  const starts: number[] = [];
  const origins: number[] = [];
  const parts: string[] = [];
  let [length, rest] = [0, 0];
  const keep = (end: number): void => {
    starts.push(length);
    origins.push(rest);
    parts.push(from.text.slice(rest, end));
    length += end - rest;
  };
  for (const { 0: removed, index } of from.text.matchAll(pattern)) {
    if (index > rest) keep(index);
    rest = index + removed.length;
  }
  keep(from.text.length);
  return { text: parts.join(''), starts, origins, from };
}

/** Finds where a character was in the original. */
function offsetIn({ starts, origins, from }: View, at: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  const offset = (origins[low] ?? 0) + at - (starts[low] ?? 0);
  return from === undefined ? offset : offsetIn(from, offset);
}

function isSplit(view: View, { from, to }: Range): boolean {
  const before = from === 0 ? -1 : offsetIn(view, from - 1);
  return offsetIn(view, to) - before !== to - from + 1;
}

/** They come in order, and none overlaps another. */
function merged(ranges: readonly Range[]): Range[] {
  const all: Range[] = [];
  for (const range of ranges.toSorted((one, other) => one.from - other.from)) {
    const last = all.at(-1);
    if (last === undefined || last.to <= range.from) all.push(range);
    else if (last.to < range.to) all.splice(-1, 1, { from: last.from, to: range.to });
  }
  return all;
}
