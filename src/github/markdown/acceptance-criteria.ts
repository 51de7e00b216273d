import type { List, RootContent } from 'mdast';
import { beginningOf } from '../../text/cut.ts';
import { blocksIn } from './blocks.ts';

/** The items of the list under a heading "Acceptance criteria"; none when there is no such heading. */
export function acceptanceCriteria(markdown: string): readonly string[] {
  const start = heading.exec(markdown)?.index;
  if (start === undefined) return [];
  const [, ...section] = blocksIn(beginning(markdown.slice(start)));
  const end = section.findIndex((node) => node.type === 'heading');
  const lists = (end < 0 ? section : section.slice(0, end)).filter(
    (node): node is List => node.type === 'list',
  );
  return lists
    .flatMap((list) => list.children.map((item) => withoutBox(textOf(item))))
    .filter((text) => text !== '');
}

const heading = /^ {0,3}#{1,6}[ \t]+acceptance criteria\b/im;

/** What follows is left out: anyone can write an issue, and parsing takes quadratic time. */
const maxLines = 500;
const maxLength = 24_576;

function beginning(text: string): string {
  return beginningOf(text, maxLength).split('\n', maxLines).join('\n');
}

function textOf(node: RootContent): string {
  if ('value' in node) return node.value;
  if (node.type === 'break') return ' ';
  return 'children' in node ? node.children.map((child: RootContent) => textOf(child)).join('') : '';
}

/** Task lists are not CommonMark, so the checkbox is part of the text. */
function withoutBox(text: string): string {
  return text.replace(/^\[[ xX]\]\s+/, '').trim();
}
