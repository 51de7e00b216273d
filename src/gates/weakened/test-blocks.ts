import { declarationAt, isMark } from './declarations.ts';
import type { Family } from './languages.ts';
import type { SourceLine } from './source-line.ts';

/** A test, or a group of tests, in one version of a file. */
export interface TestBlock {
  /** Empty for the visible end of a test whose beginning is not in the diff. */
  readonly name: string;
  readonly group: boolean;
  /** Indexes into the version's lines: what stands above it, its declaration, and the line after its end. */
  readonly start: number;
  readonly head: number;
  readonly end: number;
  /** The declaration is only in this version. */
  readonly changed: boolean;
}

/** The tests that the lines declare, in order; nested ones follow what they are in. */
export function testBlocksOf(lines: readonly SourceLine[], family: Family): readonly TestBlock[] {
  const blocks: TestBlock[] = [];
  let start = -1;
  for (const [index, line] of lines.entries()) {
    if (start >= 0 && lines[start]?.hunk !== line.hunk) start = -1;
    if (isMark(line, family)) {
      if (start < 0) start = index;
      // A mark and its declaration may share a line.
      if (!/\b(?:func|fn|fun|void|def)\b/.test(line.code)) continue;
    }
    const from = start < 0 ? index : start;
    const marks = start < 0 ? '' : marksBetween(lines, start, index);
    const declared = declarationAt(lines, index, { family, marks });
    if (declared !== undefined) {
      blocks.push({ ...declared, start: from, head: index, end: endOf(lines, index), changed: line.changed });
    }
    if (!continuesMarks(lines, start, line)) start = -1;
  }
  return blocks;
}

const maxMarks = 15;

function marksBetween(lines: readonly SourceLine[], start: number, index: number): string {
  return lines
    .slice(Math.max(start, index - maxMarks), index)
    .map(({ text, comment }) => `${text} ${comment}`)
    .join(' ');
}

/** Marks go on over comments, over what is indented more, and over closing brackets. */
function continuesMarks(lines: readonly SourceLine[], start: number, line: SourceLine): boolean {
  const mark = lines[start];
  if (mark === undefined) return false;
  return line.blank ? line.comment !== '' : line.indent > mark.indent || /^\s*[)\]}]/.test(line.code);
}

/**
 * The line after a block, by indentation: what is indented more belongs to it, and so do lines that start by
 * closing what it opened. This holds in the middle of a file as well, where counting brackets does not.
 */
export function endOf(lines: readonly SourceLine[], head: number): number {
  const first = lines[head];
  if (first === undefined) return head;
  let isOpen = true;
  let end = head + 1;
  for (; end < lines.length; end++) {
    const line = lines[end];
    if (line === undefined || line.hunk !== first.hunk) return end;
    if (line.blank || line.indent > first.indent) continue;
    const code = line.code.trim();
    const continues = line.indent === first.indent && isOpen && /^(?:[)\]}{]|end\b|`)/.test(code);
    if (!continues) return end;
    isOpen = /(?:[{([,]|=>|\bdo(?:\s*\|[^|]*\|)?|:)$/.test(code);
    if (!isOpen) return end + 1;
  }
  return end;
}

/** The innermost test or group around a line. */
export function blockAround(blocks: readonly TestBlock[], index: number): TestBlock | undefined {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.start ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  for (let at = low - 1; at >= Math.max(0, low - 50); at--) {
    const block = blocks[at];
    if (block !== undefined && index < block.end) return block;
  }
  return undefined;
}
