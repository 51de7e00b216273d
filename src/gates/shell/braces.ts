import { parse, type Word } from 'unbash';
import { Unclear } from './parse.ts';

/** More than anyone writes, and few enough to look at. */
const maxWords = 256;

/** The words that a word with `{a,b}` stands for. */
export function braceExpanded(words: readonly Word[]): readonly Word[] {
  const done: Word[] = [];
  for (const word of words) if (countOf(word) > maxWords) throw new Unclear('too many words in braces');
  const waiting = [...words].reverse();
  const most = words.length + maxWords;
  for (let word = waiting.pop(); word !== undefined; word = waiting.pop()) {
    const next = oneExpansion(word);
    if (next === undefined) done.push(word);
    else waiting.push(...next.toReversed());
    if (done.length + waiting.length > most) throw new Unclear('too many words in braces');
  }
  return done;
}

/** How many words it stands for. */
function countOf({ parts = [] }: Word): number {
  return parts.reduce((count, part) => {
    const items = part.type === 'BraceExpansion' && count <= maxWords ? alternatives(part.text).length : 1;
    return count * items;
  }, 1);
}

/** Its first braces are replaced by each of the alternatives; the other ones follow later. */
function oneExpansion({ parts = [], text, pos }: Word): readonly Word[] | undefined {
  const braces = parts.find((part) => part.type === 'BraceExpansion' && alternatives(part.text).length > 1);
  if (braces === undefined) return undefined;
  const before = text.slice(0, braces.pos - pos);
  const after = text.slice(braces.end - pos);
  return alternatives(braces.text).flatMap((item) => wordOf(`${before}${item}${after}`) ?? []);
}

/** The parts between commas that are neither quoted nor in braces of their own. */
function alternatives(braces: string): readonly string[] {
  const pieces = braces.slice(1, -1).match(/\\.|'[^']*'|"(?:\\.|[^"\\])*"|[{},]|[^\\'"{},]+|./gs) ?? [];
  const items = [''];
  let depth = 0;
  for (const piece of pieces) {
    if (piece === '{') depth += 1;
    if (piece === '}') depth -= 1;
    if (piece === ',' && depth === 0) items.push('');
    else items[items.length - 1] += piece;
  }
  return items;
}

/** An empty alternative is no word. */
function wordOf(text: string): Word | undefined {
  if (text === '') return undefined;
  const [statement] = parse(`: ${text}`).commands;
  const [word] = statement?.command.type === 'Command' ? statement.command.args : [];
  return word?.type === 'Word' ? word : undefined;
}
