/**
 * Some pieces of a text are known only when it runs. In the texts and words that are computed from a command
 * line, one of these characters stands for such a piece; Unicode assigns them to nobody.
 */

/** The value of a variable that the line does not set, or the result of decoding. */
export const unknown = '\u{E000}';

/** What a program prints, or what a file contains. */
export const printed = '\u{E001}';

/** What was downloaded, or made of it. */
export const downloaded = '\u{E002}';

const marks = /[\u{E000}-\u{E002}]/gu;

/** The text of a stranger, in which these characters are not marks. */
export function withoutMarks(text: string): string {
  return text.replace(marks, '\u{FFFD}');
}

/** For people: an ellipsis stands for what is not known. */
export function readable(text: string): string {
  return text.replace(marks, '…');
}

/** Whether the whole text is known before it runs. */
export function isKnown(text: string): boolean {
  return text.search(marks) < 0;
}
