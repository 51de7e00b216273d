import type { State } from '../steering/state/state.ts';
import { type Format, markdown } from './parts/sanitize.ts';
import { recordedWords } from './phases/index.ts';

/** The first line of `/why`: what the next step of the run waits for, and whether it could come by itself. */
export function missingText(state: State): string {
  const parts = missingParts(state, markdown);
  return parts.length === 0 ? 'Nothing is missing: the run has ended.' : `Missing: ${parts.join('; ')}.`;
}

/** The same in parts of a sentence; none once the run has ended. */
export function missingParts(state: State, format: Format): readonly string[] {
  return recordedWords(state).missing(state, format);
}
