import type { GateHit } from '../../steering/attempt-result.ts';
import { executedHidden } from '../hidden-code.ts';
import { remoteCode } from '../remote-code.ts';
import { hitAt } from '../rules.ts';
import { isExample, isInert } from './kinds.ts';
import type { Patch } from './patch.ts';

/** Added lines that run what they download. */
export function remoteCodeHits({ change: { path }, added }: Patch): readonly GateHit[] {
  return isInert(path) ? [] : remoteCode({ path, lines: added });
}

const maxHits = 5;

/** Added lines that run what is encoded in them, or in a file. */
export function hiddenCodeHits({ change: { path, status }, added }: Patch): readonly GateHit[] {
  if (status === 'deleted' || isInert(path) || isExample(path)) return [];
  return executedHidden(added)
    .slice(0, maxHits)
    .map(({ number, text }) => hitAt('unparsable', { path, line: number }, text));
}
