/** What a reader cannot see, so that text that is read and text that is acted upon are the same. */

const replacement = '\ufffd';

/**
 * Text as a reader sees it: without control characters, terminal colours, changes of direction and tags.
 * Joiners stay, for they shape scripts and emoji.
 */
export function visible(text: string): string {
  return withoutColours(text)
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/\u061c|[\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu, '')
    .replace(/\p{Cs}/gu, replacement);
}

/**
 * Text in which commands are looked for: every zero-width, bidirectional and tag character goes, joiners too,
 * so that none can hide in a command. Line ends stay as they are. See https://trojansource.codes; the two
 * characters that choose between an emoji and its plain form do no harm.
 */
export function withoutInvisible(text: string): string {
  return text.replace(/(?![\uFE0E\uFE0F])\p{Default_Ignorable_Code_Point}|[\uFFF9-\uFFFB]/gu, '');
}

function withoutColours(text: string): string {
  const [first = '', ...others] = text.split('\u001b');
  return first + others.map((part) => part.replace(/^\[[\d;?]*[ -/]*[@-~]/, '')).join('');
}
