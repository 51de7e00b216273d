import type { Hunk } from './hunks.ts';
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
    return masks.map((mask, index) => {
      const line = shown[index];
      const { code } = mask;
      const changed = line?.kind === own;
      const blank = code.trim() === '';
      return { ...mask, number: line?.[side] ?? 0, changed, hunk, indent: indentOf(code), blank };
    });
  });
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
    .replace(/["'`]/g, '"')
    .replace(/\s+/g, '')
    .replace(/,(?=[)\]}])/g, '')
    .replace(/[;,]+$/, '')
    .replace(/(\d)_(?=\d)/g, '$1');
}
