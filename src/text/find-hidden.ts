import { control, escapeSequence, ignorable } from './visible.ts';

/** A part of a text, from one offset up to another. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * The parts of a text that `find` finds in it, or would find after somebody removed what readers cannot see,
 * in whatever order. Of the latter only those count that have something invisible in or around them: the
 * others are in the text as it is.
 */
export function rangesOf(
  text: string,
  find: (text: string, isStripped: boolean) => readonly Range[],
): Range[] {
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

/** Where a character was in the original. */
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

/** In order, and none overlaps another. */
function merged(ranges: readonly Range[]): Range[] {
  const all: Range[] = [];
  for (const range of ranges.toSorted((one, other) => one.from - other.from)) {
    const last = all.at(-1);
    if (last === undefined || last.to <= range.from) all.push(range);
    else if (last.to < range.to) all.splice(-1, 1, { from: last.from, to: range.to });
  }
  return all;
}
