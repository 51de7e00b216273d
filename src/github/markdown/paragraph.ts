import type { InlineParts } from './inline-html.ts';

/** Whether a line belongs to a table, or would make one of the line before it. */
export function isTableRow(line: string): boolean {
  return line.includes('|') || /^[ \t]*:?-+:[ \t]*$|^[ \t]*:-+[ \t]*$/.test(line);
}

const link = /!?\[[^[\]]*\]\([^\s()<>"'\\]*\)/g;
const bracketed = /\[[^[\]]*\](?![([:])/g;

/** Whether a paragraph goes on as plain text after this line: nothing that has begun here is still open. */
export function canGoOn({ text, hasHtml, hasOpenCode }: InlineParts): boolean {
  if (hasHtml || hasOpenCode || isTableRow(text) || /[<`$~]/.test(text)) return false;
  const rest = text.replace(link, 'x').replace(bracketed, 'x');
  return (
    !/[[\]]/.test(rest) && isEven(rest, /\*+/g) && isEven(rest, /(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu)
  );
}

/** Emphasis that has begun has also ended. */
function isEven(text: string, marks: RegExp): boolean {
  return [...text.matchAll(marks)].length % 2 === 0;
}
