import { type Html, html } from '../../html/html.ts';
import type { DiffLine } from './patch-lines.ts';
import type { ShownFile } from './read-diff.ts';
import { lineField, remarkName } from './remarks.ts';

export interface PatchOptions {
  readonly split: boolean;
  /** Whether remarks can be written on lines. */
  readonly hasRemarks: boolean;
  /** The boxes under lines, by `lineField`. */
  readonly boxes: ReadonlyMap<string, Html>;
  /** The line whose number gets the focus, by `lineField`. */
  readonly focus: string | undefined;
}

/**
 * The lines of a file in one table, in which each has its number, and the boxes of remarks below theirs.
 * Without any it is kept for the next time: whoever looks at a run has its page drawn every second.
 */
export function patchTable(file: ShownFile, options: PatchOptions): Html {
  const { split, hasRemarks, boxes, focus } = options;
  if (boxes.size > 0 || focus !== undefined) return drawn(file, options);
  const key = `${split} ${hasRemarks}`;
  const known = kept.get(file);
  if (known?.key === key) return known.table;
  const table = drawn(file, options);
  kept.set(file, { key, table });
  return table;
}

const kept = new WeakMap<ShownFile, { readonly key: string; readonly table: Html }>();

function drawn({ path, lines }: ShownFile, { split, ...options }: PatchOptions): Html {
  const drawing = { ...options, path };
  const rows = blocksOf(lines).flatMap((block) =>
    split ? splitRows(block, drawing) : unifiedRows(block, drawing),
  );
  return html`<table class="patch${split && ' split'}" aria-label="Changes in ${path}"><colgroup>${split ? splitColumns : unifiedColumns}</colgroup>
<tbody>${rows}</tbody></table>`;
}

const unifiedColumns = html`<col class="number"><col class="number"><col>`;
const splitColumns = html`<col class="number"><col><col class="number"><col>`;

interface Drawing extends Omit<PatchOptions, 'split'> {
  readonly path: string;
}

/** Lines that were removed and those that took their place, or one line of another kind. */
interface Block {
  readonly removed: readonly DiffLine[];
  readonly added: readonly DiffLine[];
  readonly other?: DiffLine;
}

function blocksOf(lines: readonly DiffLine[]): readonly Block[] {
  const blocks: { removed: DiffLine[]; added: DiffLine[]; other?: DiffLine }[] = [];
  for (const line of lines) {
    const last = blocks.at(-1);
    const isOpen = last !== undefined && last.other === undefined;
    if (line.kind === 'added' && isOpen) last.added.push(line);
    else if (line.kind === 'removed' && isOpen && last.added.length === 0) last.removed.push(line);
    else if (line.kind === 'added') blocks.push({ removed: [], added: [line] });
    else if (line.kind === 'removed') blocks.push({ removed: [line], added: [] });
    else blocks.push({ removed: [], added: [], other: line });
  }
  return blocks;
}

function unifiedRows({ removed, added, other }: Block, drawing: Drawing): readonly Html[] {
  const row = (line: DiffLine, code: Html) =>
    html`<tr>${numberCell(line, 'before', drawing)}${numberCell(line, 'after', drawing)}${code}</tr>${boxRow(line, 3, drawing)}`;
  if (other !== undefined) return isMark(other) ? [markRow(other, 2, 1)] : [row(other, codeCell(other))];
  const marks = changedParts(removed, added);
  return [
    ...removed.map((line, nth) => row(line, codeCell(line, marks[nth]?.before))),
    ...added.map((line, nth) => row(line, codeCell(line, marks[nth]?.after))),
  ];
}

function splitRows({ removed, added, other }: Block, drawing: Drawing): readonly Html[] {
  if (other !== undefined && isMark(other)) return [markRow(other, 1, 3)];
  const marks = changedParts(removed, added);
  const pairs = other === undefined ? Math.max(removed.length, added.length) : 1;
  return Array.from({ length: pairs }, (_, nth) => {
    const [before, after] = [other ?? removed[nth], other ?? added[nth]];
    const side = (line: DiffLine | undefined, which: 'before' | 'after') =>
      line === undefined
        ? html`<td class="empty" colspan="2"></td>`
        : html`${numberCell(line, which, drawing)}${codeCell(line, marks[nth]?.[which])}`;
    const boxes = [other === undefined && before, after].map((line) => line && boxRow(line, 4, drawing));
    return html`<tr>${side(before, 'before')}${side(after, 'after')}</tr>${boxes}`;
  });
}

/** Whether it is no line of the file, but says something of the lines around it. */
function isMark({ kind }: DiffLine): boolean {
  return kind === 'hunk' || kind === 'note';
}

function markRow({ text }: DiffLine, numbers: number, columns: number): Html {
  return html`<tr class="mark"><td colspan="${numbers}"></td><td class="code" colspan="${columns}">${text}</td></tr>`;
}

/** The number of a line. One of each opens a box for a remark: the one after the change, if it is there. */
function numberCell(line: DiffLine, which: 'before' | 'after', drawing: Drawing): Html {
  const { [which]: number, kind } = line;
  const look = kind === 'context' ? 'line-number' : `line-number ${kind}`;
  const isBefore = line.after === undefined;
  if (number === undefined || !drawing.hasRemarks || isBefore !== (which === 'before'))
    return html`<td class="${look}">${number}</td>`;
  const place = { isBefore, line: number, path: drawing.path };
  const field = lineField(place);
  const focus = field === drawing.focus && html` autofocus`;
  return html`<td class="${look}"><button name="on" value="${field}" aria-label="${remarkName(place)}"${focus}>${number}</button></td>`;
}

function boxRow({ before, after }: DiffLine, columns: number, { boxes, path }: Drawing): Html | undefined {
  const line = after ?? before;
  if (boxes.size === 0 || line === undefined) return undefined;
  const box = boxes.get(lineField({ isBefore: after === undefined, line, path }));
  return box && html`<tr class="remark"><td colspan="${columns}">${box}</td></tr>`;
}

/** From where to where a text differs from the one in its place. */
type Part = readonly [from: number, to: number];

function codeCell({ kind, text }: DiffLine, part?: Part): Html {
  const look = kind === 'context' ? 'code' : `code ${kind}`;
  const code = text.slice(1);
  const tag = kind === 'added' ? 'ins' : 'del';
  const marked =
    part === undefined
      ? code
      : [code.slice(0, part[0]), element(tag, code.slice(...part)), code.slice(part[1])];
  return html`<td class="${look}"><span class="sign">${text[0]}</span>${marked}</td>`;
}

function element(tag: 'ins' | 'del', text: string): Html | false {
  if (text === '') return false;
  return tag === 'ins' ? html`<ins>${text}</ins>` : html`<del>${text}</del>`;
}

/** As Git's diff-highlight does: in lines that were replaced one by one, what is between equal ends. */
function changedParts(
  removed: readonly DiffLine[],
  added: readonly DiffLine[],
): readonly ({ readonly before: Part; readonly after: Part } | undefined)[] {
  if (removed.length !== added.length) return [];
  return removed.map(({ text: old }, nth) => {
    const [before, after] = [old.slice(1), (added[nth]?.text ?? '').slice(1)];
    const shortest = Math.min(before.length, after.length);
    let start = 0;
    while (start < shortest && before[start] === after[start]) start += 1;
    let end = 0;
    while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
    // A character of two units is not split.
    if (isSecondUnit(before[start]) || isSecondUnit(after[start])) start -= 1;
    if (isSecondUnit(before[before.length - end])) end -= 1;
    // Where nothing but blanks is equal, the whole line is new.
    const isAlike = `${before.slice(0, start)}${before.slice(before.length - end)}`.trim() !== '';
    return isAlike ? { before: [start, before.length - end], after: [start, after.length - end] } : undefined;
  });
}

function isSecondUnit(unit: string | undefined): boolean {
  return unit !== undefined && /[\udc00-\udfff]/.test(unit);
}
