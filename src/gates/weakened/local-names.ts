import { type Assertion, placed } from './assertion.ts';
import type { SourceLine } from './source-line.ts';
import { normalized } from './source-line.ts';
import type { TestBlock } from './test-blocks.ts';

/** Adds to assertions what their local names stand for, so that a variable may be renamed or left out. */
export function withMeanings(
  assertions: readonly Assertion[],
  lines: readonly SourceLine[],
  blocks: readonly TestBlock[],
): readonly Assertion[] {
  const heads = new Set(outermost(blocks).map(({ head }) => head));
  const names = new LocalNames();
  let at = 0;
  let hunk = -1;
  return assertions.map((assertion) => {
    for (; at < Math.min(lines.length, assertion.index + 1); at++) {
      const line = lines[at];
      if (line === undefined) continue;
      if (line.hunk !== hunk || heads.has(at)) names.forget();
      hunk = line.hunk;
      if (at < assertion.index) names.read(lines, at);
    }
    at = assertion.index;
    const meaning = names.resolve(assertion.subject);
    const value = names.resolve(assertion.expected);
    return meaning === assertion.subject && value === assertion.expected
      ? assertion
      : placed(assertion, { index: assertion.index, changed: assertion.changed, meaning, value });
  });
}

/** Tests in tests know the names around them. */
function outermost(blocks: readonly TestBlock[]): readonly TestBlock[] {
  let end = 0;
  return blocks.filter((block) => {
    if (block.group || block.head < end) return block.group;
    end = block.end;
    return true;
  });
}

/** The longest that one name may stand for. */
const maxLength = 300;
const maxRounds = 3;

const definition = new RegExp(
  [
    String.raw`^\s*(?:(?:const|let|var|val|final|auto|my|mut|static)\s+)*(?:[\w<>,.?[\]]{0,59}[\w<>.?[\]]\s+)?`,
    String.raw`(\w+(?:\s*,\s*\w+){0,4})(?:\s*:\s*[\w<>[\],.| ]{1,60}?)?\s*(?::=|=(?![=>~]))\s*(?=\S)`,
  ].join(''),
);
const opened = /^\s*(?:async\s+)?with\s+(.+)\s+as\s+(\w+)\s*:\s*$/;

/** What the names in one test stand for, line by line. */
class LocalNames {
  private readonly values = new Map<string, string>();

  forget(): void {
    this.values.clear();
  }

  read(lines: readonly SourceLine[], index: number): void {
    const line = lines[index];
    if (line === undefined || line.blank || line.code.length > 500) return;
    const [, context, alias] = opened.exec(line.text) ?? [];
    if (context !== undefined && alias !== undefined) this.define([alias], context);
    const found = definition.exec(line.code);
    if (found === null || /^\s*(?:return|if|for|while|else|assert|await|import|from)\b/.test(line.code))
      return;
    const text = statementFrom(lines, index).slice(found[0].length);
    this.define((found[1] ?? '').split(/\s*,\s*/), text);
  }

  private define(names: readonly string[], text: string): void {
    const value = normalized(text.replace(/^(?:await\s+|new\s+)+/, ''));
    for (const name of names) {
      const isUsable = value.length <= maxLength && !wordPattern(name).test(value) && name !== '_';
      if (isUsable) this.values.set(name, value);
      else this.values.delete(name);
    }
  }

  resolve(text: string): string {
    if (this.values.size === 0) return text;
    let result = text;
    for (let round = 0; round < maxRounds && result.length <= maxLength; round++) {
      const next = result.replace(
        /"[^"]*"|(?<![\w.])[A-Za-z_]\w*(?!\w*[("=]|:(?!:))/g,
        (name) => this.values.get(name) ?? name,
      );
      if (next === result) break;
      result = next;
    }
    return result.slice(0, maxLength * 2);
  }
}

/** A statement that goes on over a few lines, until its brackets are closed. */
function statementFrom(lines: readonly SourceLine[], index: number): string {
  let depth = 0;
  let text = '';
  for (const line of lines.slice(index, index + 12)) {
    text += text === '' ? line.text : ` ${line.text.trim()}`;
    for (const sign of line.code) {
      if ('([{'.includes(sign)) depth++;
      else if (')]}'.includes(sign)) depth--;
    }
    if (depth <= 0 || text.length > maxLength) break;
  }
  return text;
}

function wordPattern(name: string): RegExp {
  return new RegExp(`(?<![\\w."])${name}\\b`);
}
