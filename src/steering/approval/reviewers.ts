import { type Next, withEffect } from '../iterations/step.ts';
import type { Approver } from '../shapes/settings.ts';
import type { Stamp } from '../state/event.ts';
import type { State } from '../state/state.ts';
import { missing, needsOf } from './approval-needs.ts';
import { inWords } from './approvers.ts';
import { objectionToOwnWork } from './policy.ts';

/** GitHub takes no more. */
const maxReviewers = 15;

/**
 * Requests reviews from the people and teams whose approval is missing by name, when the run asks for it:
 * that is when they are needed, and GitHub itself asks code owners only when a draft becomes ready, which
 * is after the approval. Each is asked once in a run.
 */
export function withReviewersAsked(step: Next, { id }: Stamp): Next {
  const { state } = step;
  const asked = state.reviewers_asked ?? [];
  const wanted = reviewersOf(state).filter((name) => !asked.includes(name));
  const of = wanted.slice(0, Math.max(maxReviewers - asked.length, 0));
  if (of.length === 0) return step;
  const noted = { ...step, state: { ...state, reviewers_asked: [...asked, ...of] } };
  return withEffect(noted, { id: `${id}:reviewers`, do: 'request_reviews', of });
}

/** `@ada`, `@acme/core`; not those whose approval would not count because the work is their own. */
function reviewersOf(state: State): readonly string[] {
  const named = missing(needsOf(state)).flatMap(({ by }) => by);
  const names = named
    .filter((approver) => isAskable(approver, state))
    .map((one) => inWords(one).toLowerCase());
  return [...new Set(names)];
}

function isAskable(approver: Approver, state: State): boolean {
  if ('team' in approver) return true;
  if (!('login' in approver)) return false;
  const person = { login: approver.login, id: 0, role: 'admin', bot: false } as const;
  return objectionToOwnWork(state, state.settings.approval, person)?.why !== 'own_work';
}
