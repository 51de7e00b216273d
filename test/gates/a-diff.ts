import { gatesOnDiff } from '../../src/gates/index.ts';
import type { FileDiff } from '../../src/steering/shapes/attempt-result.ts';

/** A file with these lines in its diff: `+ …`, `- …`, and what is around them. */
export function diffOf(path: string, text: string, more: Partial<FileDiff> = {}): FileDiff {
  const lines = text.split('\n').map((line) => (/^[+-]/.test(line) ? line : ` ${line}`));
  const old = lines.filter((line) => !line.startsWith('+')).length;
  const now = lines.filter((line) => !line.startsWith('-')).length;
  const diff = [`--- a/${path}`, `+++ b/${path}`, `@@ -1,${old} +1,${now} @@`, ...lines].join('\n');
  return { path, status: 'modified', additions: now, deletions: old, diff, ...more };
}

export function hitsIn(path: string, text: string, more: Partial<FileDiff> = {}) {
  return gatesOnDiff([diffOf(path, text, more)]);
}

/** The rules that a diff hits, each once. */
export function rulesIn(path: string, text: string, more: Partial<FileDiff> = {}): readonly string[] {
  return [...new Set(hitsIn(path, text, more).map(({ rule }) => rule))];
}
