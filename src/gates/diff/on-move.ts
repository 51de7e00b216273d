import type { FileDiff, GateHit } from '../../steering/attempt-result.ts';
import { tuned } from '../own/own-rules.ts';
import { type AddedText, remoteCode } from '../remote-code.ts';
import { contentHits } from './content.ts';
import { isInert } from './kinds.ts';
import type { DiffOptions } from './on-diff.ts';

/** A file that was moved, with all of its lines. */
export interface MovedText extends AddedText {
  readonly previous_path: string;
  /** There is more than these lines. */
  readonly cut: boolean;
}

/**
 * What a file hits where it is now. A rule that its lines hit under the former name as well is left out, for
 * nothing has changed in that; but not what runs a download, which may have run nowhere before.
 */
export function gatesOnMove(moved: MovedText, { gates }: DiffOptions = {}): readonly GateHit[] {
  const { path, previous_path, lines } = moved;
  const diff = asPatch(moved);
  const file = (name: string): FileDiff => ({
    ...{ path: name, status: 'added', additions: lines.length, deletions: 0, diff },
  });
  const former = isInert(previous_path) ? [] : contentHits(file(previous_path), gates);
  const before = new Set(former.map(({ rule }) => rule));
  const now = contentHits(file(path), gates).filter(({ rule }) => rule !== 'runs-remote-code');
  return tuned([...now.filter(({ rule }) => !before.has(rule)), ...remoteCode(moved)], gates);
}

function asPatch({ lines, cut }: MovedText): string {
  const body = lines.map(({ text }) => `+${text}\n`).join('');
  return `@@ -0,0 +1,${lines.length} @@\n${body}${cut ? '... (truncated)\n' : ''}`;
}
