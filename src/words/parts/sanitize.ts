import { beginningOf, visible } from '../../text/characters.ts';

/**
 * Makes text written by agents or people harmless in Markdown.
 * A zero-width space in the right place is invisible to readers but disables mentions, links and HTML
 * in every parser, which escaping alone could not guarantee.
 */

const zeroWidth = '\u200b';

/** Markdown from an agent or a person, in a quote it cannot break out of. */
export function quoted(text: string, max = 4000): string {
  const lines = defused(cut(visible(text).trim(), max)).split('\n');
  return lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
}

/** One line that keeps harmless Markdown such as inline code. */
export function tame(text: string, max = 300): string {
  return defused(oneLine(text, max));
}

/** Markdown of a person that stands by itself, such as the description of a pull request. */
export function inert(text: string): string {
  return defused(visible(text));
}

/** One line of plain text, where Markdown has no meaning but references do: a title or an annotation. */
export function inertTitle(text: string, max = 256): string {
  return withoutReferences(oneLine(text, max));
}

/** Literal text on one line: nothing in it is Markdown, not even in a table. */
export function plain(text: string, max = 300): string {
  return withoutReferences(oneLine(text, max))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*[\]|~$]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_');
}

/** A path, a name or a command, as inline code. */
export function code(text: string, max = 300): string {
  const inner = withoutComments(oneLine(text, max));
  const fence = '`'.repeat(longestRun(inner) + 1);
  const space = inner === '' || inner.startsWith('`') || inner.endsWith('`') ? ' ' : '';
  return `${fence}${space}${inner}${space}${fence}`;
}

/** Inline code inside a table, where a pipe would end the cell. */
export function codeInCell(text: string, max = 300): string {
  return code(text, max).replaceAll('|', '\\|');
}

/** Puts the output of a program into a fence longer than any inside it. */
export function fenced(text: string, language = ''): string {
  const inner = withoutComments(visible(text));
  const fence = '`'.repeat(Math.max(3, longestRun(inner) + 1));
  return `${fence}${language}\n${inner.trimEnd()}\n${fence}`;
}

/** A mention that notifies the person; anything that is not a login is shown as plain text. */
export function mention(login: string): string {
  return /^[a-z\d](?:[a-z\d_-]{0,60})$/i.test(login) ? `@${login}` : plain(login);
}

/** A reply with a mention in front. A block, such as a table, has to start a paragraph of its own. */
export function addressed(login: string, text: string): string {
  const startsBlock = /^(?:```|~~~|[|#>]|[-*+] |\d+[.)] )/.test(text);
  return `${mention(login)}: ${startsBlock ? '\n\n' : ''}${text}`;
}

/** At most so many code points, none of a character that is cut; text that was cut ends in an ellipsis. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // A code point is at most two UTF-16 units, so this slice is long enough.
  const points = [...text.slice(0, 2 * max + 2)];
  if (points.length <= max) return text;
  return `${beginningOf(text, points.slice(0, max - 1).join('').length)}…`;
}

/** Disables HTML, links, entities, mentions and references. */
function defused(text: string): string {
  return withoutReferences(text)
    .replace(/<(?=[a-z/!?])/gi, `<${zeroWidth}`)
    .replace(/&(?=#?\w+;)/g, `&${zeroWidth}`)
    .replace(/\](?=[(:[])/g, `]${zeroWidth}`);
}

/** A backslash that Markdown removes does not help: GitHub looks for links in the result. */
function withoutReferences(text: string): string {
  return text
    .replace(/@(?=\\?\w)/g, `@${zeroWidth}`)
    .replace(/#(?=\d)/g, `#${zeroWidth}`)
    .replace(/\b(GH)(?=\\?-\d)/gi, `$1${zeroWidth}`)
    .replace(/:(?=\\?\/\\?\/)/g, `:${zeroWidth}`)
    .replace(/(www)(?=\\?\.)/gi, `$1${zeroWidth}`);
}

/** Our own markers are HTML comments, so text inside code must not be mistaken for one. */
function withoutComments(text: string): string {
  return text.replaceAll('<!', `<${zeroWidth}!`);
}

/** Text on one line, for where nothing is formatted. */
export function oneLine(text: string, max: number): string {
  return cut(visible(text).replace(/\s+/g, ' ').trim(), max);
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

/** GitHub's limit for the body of a pull request or a comment, in code points: an emoji counts as one. */
export const maxBody = 65_536;

/** Characters as GitHub counts them. */
export function lengthOf(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** How names and other texts that are not ours become harmless where they are shown. */
export interface Format {
  readonly name: (text: string) => string;
  readonly text: (text: string) => string;
}

/** GitHub shows it as Markdown. */
export const markdown: Format = { name: (text) => code(text, 200), text: (text) => plain(text, 1000) };

/** Nothing is formatted in HTML that is escaped, in a fence and on a terminal. */
export const literal: Format = { name: visible, text: visible };

/** `2025-03-03 12:10:00 UTC`; text that is not a date stays as it is. */
export function timeText(at: string): string {
  return Number.isNaN(Date.parse(at)) ? at : `${at.slice(0, 19).replace('T', ' ')} UTC`;
}

/** A clause of ours with the full stop that it needs by itself; empty if it says nothing. */
export function sentence(clause: string): string {
  return clause === '' ? '' : `${clause}.`;
}

/** Part of a text; what is empty, or left out by a condition, says nothing. */
export type Part = string | false | undefined;

/** The parts that say something. */
export function said(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => part || []);
}

/** The parts that say something, one paragraph each. */
export function paragraphs(parts: readonly Part[]): string {
  return said(parts).join('\n\n');
}

/** Lines below what introduces them; empty if there are none. */
export function under(introduction: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${introduction}\n\n${lines.join('\n')}`;
}

/** At most so many, each in a line, and how many more there are. */
export function firstLines<T>(
  all: readonly T[],
  max: number,
  line: (one: T) => string,
  omitted = 0,
): readonly string[] {
  const more = Math.max(all.length - max, 0) + omitted;
  return said([...all.slice(0, max).map((one) => line(one)), more > 0 && `- and ${more} more`]);
}
