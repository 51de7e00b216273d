import type { GateHit } from '../../steering/attempt-result.ts';
import { remoteCode } from '../remote-code.ts';
import { isInert } from './kinds.ts';
import type { Patch } from './patch.ts';

/** Added lines that run what they download. */
export function remoteCodeHits({ change: { path }, added }: Patch): readonly GateHit[] {
  return isInert(path) ? [] : remoteCode({ path, lines: added });
}
