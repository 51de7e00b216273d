import { openConcerns, reviewOf } from '../confidence/review.ts';
import { deadlineAfter, openingOf } from '../iterations/interactions.ts';
import { type Next, next, withEffect } from '../iterations/step.ts';
import { shortSha } from '../phrases/short-sha.ts';
import type { PolicyRule, WasLeft } from '../shapes/proceeding.ts';
import type { AwaitingApproval } from '../shapes/standing.ts';
import type { Stamp } from '../state/event.ts';
import type { State } from '../state/state.ts';
import { proceedingOf } from './deciding.ts';
import { withReviewersAsked } from './reviewers.ts';

/** The verifiers passed, and nothing else is to be done first: go on without people, or ask them. */
export function proceedOrAsk(before: State, event: Stamp): Next {
  if (before.shown === null) return ask(before, event);
  const proceeding = proceedingOf(before, before.shown);
  const state: State = { ...before, shown: { ...before.shown, proceeding } };
  switch (proceeding.how) {
    case 'proceed':
      return approveByPolicy(state, event, proceeding.rule);
    case 'wait_with_timeout': {
      const at = new Date(Date.parse(event.at) + proceeding.after_s * 1000).toISOString();
      return ask(state, event, { at, on_timeout: proceeding.on_timeout });
    }
    case 'wait':
      return ask(state, event);
  }
}

function ask(state: State, event: Stamp, proceeds?: AwaitingApproval['proceeds']): Next {
  const interaction = openingOf(state, 'approval', event.at);
  const deadline = deadlineAfter(state, event.at);
  const timed = proceeds === undefined ? {} : { proceeds };
  const band = state.shown?.confidence.band ?? 'unknown';
  const step = next(
    state,
    { standing: { phase: 'awaiting_approval', interaction, deadline, ...timed } },
    `Ask for approval of iteration ${state.iteration}, confidence ${band}${opinionText(state)}`,
  );
  return withReviewersAsked(step, event);
}

function opinionText(state: State): string {
  const review = reviewOf(state, state.head);
  if (review === undefined || review.confidence === null) return '';
  return `, second opinion ${review.confidence.toFixed(2)}, open concerns: ${openConcerns(review).length}`;
}

/** Approves what is on show without people, if the final check agrees. */
export function approveByPolicy(state: State, event: Stamp, rule: PolicyRule): Next {
  const ground = { by: 'policy', rule, at: event.at } as const;
  const standing = { phase: 'approved', finish: 'checking', ground } as const;
  const step = next(state, { standing }, `Approved by policy (${rule}) at ${shortSha(state.head)}`);
  return withEffect(step, { id: `${event.id}:finish`, do: 'check_finish' });
}

/** From now on only people decide about this commit. */
export function leaveToPeople(state: State, because: WasLeft, head_sha = state.head): State {
  const left: State = { ...state, left_to_people: { head_sha, because } };
  if (state.standing.phase !== 'awaiting_approval') return left;
  const { proceeds: _, ...standing } = state.standing;
  return { ...left, standing };
}
