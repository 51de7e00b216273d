import { afterFailure, nextIteration } from '../attempt-outcome.ts';
import type { Event, EventOf } from '../event.ts';
import { deadlineAfter, openingOf } from '../interactions/interactions.ts';
import type { HeldWork } from '../standing.ts';
import type { State } from '../state.ts';
import { type Next, next } from '../step.ts';
import { asSetAside, settingAside } from './held-work.ts';

/** How a human is asked whether work may be pushed. */

/** The work of an attempt is held; steers that arrived meanwhile take precedence over asking. */
export function hold(state: State, event: Event, held: HeldWork): Next {
  if (state.queue.length > 0) return nextIteration({ ...state, set_aside: asSetAside(held) }, event);
  return askPermission(state, event, held);
}

/** The work was allowed but is not on the branch: the remote refused it, or it no longer fits or exists. */
export function landingFailed(state: State, event: EventOf<'work_failed'>, held: HeldWork): Next {
  const { failure } = event;
  if (failure.kind === 'push_refused' && state.queue.length === 0)
    return askPermission(state, event, { ...held, refusal: failure.message });
  return afterFailure({ ...state, ...settingAside(state) }, event, event);
}

/** Stops for a human before the work is pushed. */
function askPermission(state: State, event: Event, held: HeldWork): Next {
  const interaction = openingOf(state, 'permission', event.at);
  const deadline = deadlineAfter(state, event.at);
  const rules = [...new Set(held.hits.map(({ rule }) => rule))].join(', ');
  return next(
    state,
    { approvals: [], standing: { phase: 'awaiting_permission', interaction, held, deadline } },
    `Ask for permission to push: ${rules}`,
  );
}
