const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** No character that people see, such as an emoji of several parts, is longer than a few dozen units. */
const longestCharacter = 64;

/** The beginning of a text up to an index in UTF-16 units, without a part of a character at its end. */
export function beginningOf(text: string, end: number): string {
  if (text.length <= end) return text;
  const { from } = characterAt(text, end);
  return text.slice(0, splitsCodePoint(text, from) ? from - 1 : from);
}

/** The end of a text of at most so many UTF-16 units, without a part of a character at its beginning. */
export function endingOf(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.length - max;
  const { from, to } = characterAt(text, start);
  const whole = from === start ? start : to;
  return text.slice(splitsCodePoint(text, whole) ? whole + 1 : whole);
}

/** At most so many UTF-16 units; a text that was cut ends in an ellipsis. */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${beginningOf(text, max - 1).trimEnd()}…`;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where the character at an index begins and ends, as far as can be seen nearby. */
function characterAt(text: string, index: number): Span {
  const start = Math.max(0, index - longestCharacter);
  const nearby = characters.segment(text.slice(start, index + longestCharacter));
  const found = nearby.containing(index - start);
  if (found === undefined) return { from: index, to: index };
  const from = start + found.index;
  return { from, to: from + found.segment.length };
}

/** Parts can be joined without end, so the character nearby may begin or end between two halves of one. */
function splitsCodePoint(text: string, index: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, index - 1), index + 1));
}
