import type { List, RootContent } from 'mdast';
import { blocksIn } from './blocks.ts';

/** The items of the list under a heading "Acceptance criteria"; none when there is no such heading. */
export function acceptanceCriteria(markdown: string): readonly string[] {
  const children = blocksIn(markdown);
  const heading = children.findIndex(
    (node) => node.type === 'heading' && /^acceptance criteria\b/i.test(textOf(node)),
  );
  if (heading < 0) return [];
  const section = children.slice(heading + 1);
  const end = section.findIndex((node) => node.type === 'heading');
  const lists = (end < 0 ? section : section.slice(0, end)).filter(
    (node): node is List => node.type === 'list',
  );
  return lists
    .flatMap((list) => list.children.map((item) => withoutBox(textOf(item))))
    .filter((text) => text !== '');
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
