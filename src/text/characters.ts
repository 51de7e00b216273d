/**
 * Removes the characters that readers cannot see, so that people and programs read the same text, and cuts
 * texts where no character is split.
 */

const replacement = '\ufffd';

const esc = '\u001b';

/** Colours and cursor movements are written like this. */
const controlSequence = `(?:${esc}\\[|\u009b)[0-?]*[ -/]*[@-~]`;

/** Titles and hyperlinks, up to their end. */
const controlString = `(?:${esc}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])\\P{Cc}*(?:\u0007|${esc}\\\\|\u009c)`;

/** Terminals take this for a command, in its 7-bit and 8-bit forms (ECMA-48). */
export const escapeSequence = new RegExp(`${controlSequence}|${controlString}|${esc}[ -/]*[0-~]`, 'gu');

/** These are control characters, text direction marks and tags. */
export const control =
  /[^\P{Cc}\n\r\t]|\u061c|[\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;

/** These are also zero-width characters, joiners and text direction marks. */
export const ignorable = /\p{Default_Ignorable_Code_Point}|[\uFFF9-\uFFFB]/gu;

/**
 * Text as a reader sees it: without control characters, terminal colours, text direction marks and tags.
 * Joiners stay, because scripts and emoji need them.
 */
export function visible(text: string): string {
  return text
    .replace(escapeSequence, '')
    .replace(/\r\n?/g, '\n')
    .replace(control, '')
    .replace(/\p{Cs}/gu, replacement);
}

/**
 * Text to search for commands: without any zero-width, bidirectional or tag character, joiners included, so
 * that none can hide in a command. Line ends stay. See https://trojansource.codes; the two variation
 * selectors for emoji are harmless.
 */
export function withoutInvisible(text: string): string {
  return text.replace(/(?![\uFE0E\uFE0F])\p{Default_Ignorable_Code_Point}|[\uFFF9-\uFFFB]/gu, '');
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** No character that people see, such as an emoji of several parts, is longer than a few dozen units. */
const longestCharacter = 64;

/** Gives the beginning of a text up to an index in UTF-16 units, without a part of a character at its end. */
export function beginningOf(text: string, end: number): string {
  if (text.length <= end) return text;
  const { from } = characterAt(text, end);
  return text.slice(0, splitsCodePoint(text, from) ? from - 1 : from);
}

/**
 * Gives the end of a text of at most so many UTF-16 units, without a part of a character at its beginning.
 */
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

/** Finds where the character at an index begins and ends, as far as can be seen nearby. */
function characterAt(text: string, index: number): { readonly from: number; readonly to: number } {
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
