import { iterationShown } from './iterations/iterations.ts';
import type { Superseding } from './iterations/step.ts';
import { kindOf, rowOf } from './phases/table.ts';
import type { PauseAsked, Phase } from './shapes/standing.ts';
import type { State } from './state/state.ts';

/** What the run is about now; undefined while that is what is known of its head. */
export function supersededBy(state: State): Superseding | undefined {
  return workAhead(state.standing) ?? (iterationShown(state) < state.iteration ? 'no_commit' : undefined);
}

/** As far as the phase alone says: whether work is due, under way or held that can make a new head. */
export function isWorkAhead(phase: Phase): boolean {
  const kind = kindOf(phase);
  return kind === 'in_progress' || kind === 'asks_midway';
}

/** Neither a pause nor a deadline that has passed changes anything about what the run is about. */
function workAhead(standing: State['standing']): Superseding | undefined {
  if (standing.phase === 'timed_out') return workAhead(standing.before);
  if (standing.phase === 'paused') return standing.asked && stoodAt(standing.asked.stood);
  const { about } = rowOf(standing);
  return typeof about === 'function' ? about(standing) : about;
}

function stoodAt(stood: PauseAsked['stood']): Superseding | undefined {
  if ('due' in stood) return workAhead({ phase: 'queued', ...stood.due });
  return 'asking' in stood ? workAhead(stood.asking) : undefined;
}
