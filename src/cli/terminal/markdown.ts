import { visible, withoutInvisible } from '../../text/visible.ts';
import { table } from './output.ts';

/**
 * The Markdown of our own words for a terminal. What others have written in it was made harmless there by
 * characters that nobody sees; they are taken out last of all, when nothing looks for Markdown any more.
 */
export function forTerminal(markdown: string): string {
  const lineOf = (line: string): string => {
    const [, heading, strong] = /^(?:#{1,6} (.*)|\*\*([^*]+)\*\*)$/.exec(line) ?? [];
    return withoutInvisible(inline(heading ?? strong ?? line));
  };
  const blocks = visible(markdown)
    .replace(/<!--[\s\S]*?-->/g, '')
    .split(/^(`{3,}[^`\n]*\n[\s\S]*?\n`{3,}$|(?:\|.*(?:\n|$))+)/m)
    .map((block) => {
      if (block.startsWith('```')) return indented(block.split('\n').slice(1, -1).join('\n'));
      return block.startsWith('|') ? `${tableOf(block)}\n` : block.split('\n').map(lineOf).join('\n');
    });
  return withoutInvisible(blocks.join('')).trim();
}

/** Each line of a text, two columns to the right. */
export function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

function tableOf(block: string): string {
  const [headings = [], , ...rows] = block
    .trim()
    .split('\n')
    .map((line) => {
      const cells = line.trim().replace(/^\||\|$/g, '');
      return cells.split(/(?<!\\)\|/).map((cell) => withoutInvisible(inline(cell.trim())));
    });
  return table(headings, rows);
}

const marks = new RegExp(
  [
    /(?<fence>`+)(?<code>.+?)\k<fence>(?!`)/,
    /\*\*(?<strong>.+?)\*\*/,
    /\[(?<label>[^\]]*)\]\((?<to>[^\s)]+)\)/,
    /<\/?[a-z]+>/,
    /\\(?<escaped>[!-/:-@[-`{-~])/,
    /&(?<entity>amp|lt|gt);/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** Without the marks of inline code, bold text, links, tags, escapes and entities, as our words have them. */
function inline(text: string): string {
  return text.replace(marks, (...found) => {
    // The named groups come last.
    const { code, strong, label, to, escaped, entity } = found.at(-1) as Partial<Record<string, string>>;
    if (code !== undefined) return code.replace(/^ (.*) $/, '$1').replaceAll('\\|', '|');
    if (strong !== undefined) return inline(strong);
    if (label !== undefined) return `${inline(label)} (${to})`;
    return escaped ?? entities[entity ?? ''] ?? '';
  });
}

const entities: Partial<Record<string, string>> = { amp: '&', lt: '<', gt: '>' };
