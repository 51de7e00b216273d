import type { DiffLine, Hunk } from './hunks.ts';
import type { Language } from './languages.ts';
import { type MaskedLine, masked } from './masking.ts';

/** A line of the old or the new version of a file, as far as its diff shows it. */
export interface SourceLine extends MaskedLine {
  readonly number: number;
  /** Only this version has it. */
  readonly changed: boolean;
  /** Lines with different numbers are not next to each other in the file. */
  readonly hunk: number;
  /** How far it is indented; a tab counts as four spaces. */
  readonly indent: number;
  /** Has nothing but comments or what is inside a string. */
  readonly blank: boolean;
  /** Its text, normalized. */
  readonly key: string;
}

/** One version of a file: its lines in all hunks. */
export function versionOf(
  side: 'old' | 'new',
  hunks: readonly Hunk[],
  language: Language,
): readonly SourceLine[] {
  const own = side === 'old' ? 'removed' : 'added';
  return hunks.flatMap(({ lines }, hunk) => {
    const shown = lines.filter(({ kind }) => kind === 'same' || kind === own);
    const masks = masked(
      shown.map(({ text }) => text),
      language,
    );
    return masks.map((mask, index) => new ReadLine(mask, { line: shown[index], side, own, hunk }));
  });
}

/** What is known of a line besides its text. */
interface Place {
  readonly line: DiffLine | undefined;
  readonly side: 'old' | 'new';
  readonly own: DiffLine['kind'];
  readonly hunk: number;
}

/** A class, since there are as many as lines in a diff: its key is only made of those that are compared. */
class ReadLine implements SourceLine {
  readonly text: string;
  readonly code: string;
  readonly comment: string;
  readonly number: number;
  readonly changed: boolean;
  readonly hunk: number;
  readonly indent: number;
  readonly blank: boolean;
  private known: string | undefined;

  constructor({ text, code, comment }: MaskedLine, { line, side, own, hunk }: Place) {
    this.text = text;
    this.code = code;
    this.comment = comment;
    this.number = line?.[side] ?? 0;
    this.changed = line?.kind === own;
    this.hunk = hunk;
    this.indent = indentOf(code);
    this.blank = !/\S/.test(code);
    this.known = undefined;
  }

  get key(): string {
    this.known ??= normalized(this.text);
    return this.known;
  }
}

function indentOf(code: string): number {
  let indent = 0;
  for (const sign of code) {
    if (sign === ' ') indent++;
    else if (sign === '\t') indent += 4;
    else break;
  }
  return indent;
}

/** Code without spaces, quotes' kinds and trailing commas, for comparing what formatting may have changed. */
export function normalized(text: string): string {
  return text
    .replace(/['`]/g, '"')
    .replace(/\s+/g, '')
    .replace(/,(?=[)\]}])/g, '')
    .replace(/[;,]+$/, '')
    .replace(/(\d)_(?=\d)/g, '$1');
}
