const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** No character that people see, such as an emoji of several parts, is longer than a few dozen units. */
const longestCharacter = 64;

/** The beginning of a text up to an index in UTF-16 units, without a part of a character at its end. */
export function beginningOf(text: string, end: number): string {
  if (text.length <= end) return text;
  const from = Math.max(0, end - longestCharacter);
  const around = text.slice(from, end + longestCharacter);
  const crossed = characters.segment(around).containing(end - from);
  return text.slice(0, from + (crossed?.index ?? end - from));
}

/** At most so many UTF-16 units; a text that was cut ends in an ellipsis. */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${beginningOf(text, max - 1).trimEnd()}…`;
}
