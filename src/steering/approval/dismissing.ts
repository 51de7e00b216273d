import { openConcerns, reviewOf } from '../confidence/review.ts';
import { accepted, type CommandEventOf, next, refuse, type Step } from '../iterations/step.ts';
import { because } from '../phrases/first-line.ts';
import type { In } from '../state/state.ts';

/**
 * Somebody settles a concern. What is decided about the commit on show stays decided: where a concern had it
 * wait for people, it goes on waiting for them.
 */
export function dismissConcern(state: In<'awaiting_approval'>, event: CommandEventOf<'dismiss'>): Step {
  const { concern: named, reason: why } = event.command;
  const review = reviewOf(state, state.head);
  const open = review === undefined ? [] : openConcerns(review);
  if (review === undefined || !open.some(({ id }) => id === named))
    return refuse({ why: 'no_such_concern', named, open: open.map(({ id }) => id) });
  const by = event.by.login;
  const concerns = review.concerns.map((concern) =>
    concern.id === named ? { ...concern, state: 'dismissed' as const, dismissed: { by, why } } : concern,
  );
  return accepted(
    next(state, { review: { ...review, concerns } }, `${by} dismissed the concern ${named}${because(why)}`),
    event,
  );
}
