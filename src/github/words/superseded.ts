import type { State } from '../../steering/state.ts';
import { iterationShown, type Superseding, supersededBy } from '../../steering/superseded.ts';
import { shortSha } from '../../steering/words/short-sha.ts';

/**
 * Says of which commit the evidence is that is shown beside newer work; empty where it is of what the run is
 * about now, or where there is none.
 */
export function supersededText(state: State): string {
  const by = supersededBy(state);
  if (state.shown === null || by === undefined) return '';
  const made = iterationShown(state);
  return `This is of iteration ${made}, commit ${shortSha(state.head)}; ${nowText(by, state, made)}.`;
}

/** What the run is about instead; the same from when work is due until it is done. */
export function nowText(by: Superseding, { iteration }: Pick<State, 'iteration'>, made: number): string {
  switch (by) {
    case 'attempt':
      return iteration === made ? 'another attempt is in progress' : `iteration ${iteration} is in progress`;
    case 'verification':
      return 'the verifiers are to run again';
    case 'held_work':
      return 'newer work is not on the branch yet';
    case 'no_commit':
      return `iteration ${iteration} has put no commit on the branch`;
  }
}
