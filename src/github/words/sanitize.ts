import { visible } from '../markdown/visible.ts';

/**
 * Text written by agents or people, made harmless in Markdown.
 * A zero-width space in the right place changes nothing that is read and breaks everything that acts;
 * it does so whichever parser reads it, which escaping alone could not promise.
 */

const zeroWidth = '\u200b';

/** An agent's or a person's own Markdown, in a quote that it cannot leave. */
export function quoted(text: string, most = 4000): string {
  const lines = defused(cut(visible(text).trim(), most)).split('\n');
  return lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
}

/** One line that may keep its Markdown, such as inline code, but none that acts. */
export function tame(text: string, most = 300): string {
  return defused(oneLine(text, most));
}

/** Text as it stands, on one line: nothing in it is Markdown, not even in a table. */
export function plain(text: string, most = 300): string {
  return withoutReferences(oneLine(text, most))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*[\]|~$]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replaceAll('://', `:${zeroWidth}//`)
    .replace(/\bwww\./gi, (www) => `${www.slice(0, -1)}${zeroWidth}.`);
}

/** A path, a name or a command, as inline code. */
export function code(text: string, most = 300): string {
  const inner = withoutComments(oneLine(text, most));
  const fence = '`'.repeat(longestRun(inner) + 1);
  const space = inner === '' || inner.startsWith('`') || inner.endsWith('`') ? ' ' : '';
  return `${fence}${space}${inner}${space}${fence}`;
}

/** Inline code inside a table, where a pipe would end the cell. */
export function codeInCell(text: string, most = 300): string {
  return code(text, most).replaceAll('|', '\\|');
}

/** Output of a program, in a fence longer than any inside. */
export function fenced(text: string, language = ''): string {
  const inner = withoutComments(visible(text));
  const fence = '`'.repeat(Math.max(3, longestRun(inner) + 1));
  return `${fence}${language}\n${inner.trimEnd()}\n${fence}`;
}

/** A GitHub login that tells that person; anything that is no login is only shown. */
export function mention(login: string): string {
  return /^[a-z\d](?:[a-z\d_-]{0,60})$/i.test(login) ? `@${login}` : plain(login);
}

/** At most so many characters, counted as people do; a cut ends in an ellipsis. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // A character is at most two units, so no more than this needs to be looked at.
  const characters = [...text.slice(0, 2 * most + 2)];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

/** HTML, links, entities, mentions and references, none of which is one any more. */
function defused(text: string): string {
  return withoutReferences(text)
    .replace(/<(?=[a-z/!?])/gi, `<${zeroWidth}`)
    .replace(/&(?=#?\w+;)/g, `&${zeroWidth}`)
    .replace(/\](?=[(:[])/g, `]${zeroWidth}`);
}

function withoutReferences(text: string): string {
  return text
    .replace(/@(?=\w)/g, `@${zeroWidth}`)
    .replace(/#(?=\d)/g, `#${zeroWidth}`)
    .replace(/\b(GH-)(?=\d)/gi, `$1${zeroWidth}`);
}

/** Our own markers are HTML comments; readers of the raw text must not find one inside code. */
function withoutComments(text: string): string {
  return text.replaceAll('<!', `<${zeroWidth}!`);
}

function oneLine(text: string, most: number): string {
  return cut(visible(text).replace(/\s+/g, ' ').trim(), most);
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
