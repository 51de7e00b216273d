/** Removes what readers cannot see, so that people and programs read the same text. */

const replacement = '\ufffd';

const esc = '\u001b';

/** Colours and cursor movements. */
const controlSequence = `(?:${esc}\\[|\u009b)[0-?]*[ -/]*[@-~]`;

/** Titles and hyperlinks, up to their end. */
const controlString = `(?:${esc}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])\\P{Cc}*(?:\u0007|${esc}\\\\|\u009c)`;

/** What terminals take for a command, in its 7-bit and 8-bit forms (ECMA-48). */
export const escapeSequence = new RegExp(`${controlSequence}|${controlString}|${esc}[ -/]*[0-~]`, 'gu');

/** Control characters, text direction marks and tags. */
export const control =
  /[^\P{Cc}\n\r\t]|\u061c|[\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;

/** Zero-width characters, joiners and text direction marks too. */
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
