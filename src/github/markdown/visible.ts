/** Removes what readers cannot see, so that people and programs read the same text. */

const replacement = '\ufffd';

/**
 * Text as a reader sees it: without control characters, terminal colours, text direction marks and tags.
 * Joiners stay, because scripts and emoji need them.
 */
export function visible(text: string): string {
  return withoutColours(text)
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/\u061c|[\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu, '')
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

function withoutColours(text: string): string {
  const [first = '', ...others] = text.split('\u001b');
  return first + others.map((part) => part.replace(/^\[[\d;?]*[ -/]*[@-~]/, '')).join('');
}
