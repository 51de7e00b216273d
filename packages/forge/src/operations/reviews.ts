import type { Context } from '../context.ts';
import type { Review } from '../model.ts';
import { pullSummary, reviewPayload } from '../payloads/pulls.ts';
import { isPull } from '../store.ts';

/** Emits `pull_request_review`; in webhooks the state is in lower case. */
export function emitReviewEvent(
  context: Context,
  review: Review,
  { action, sender_id }: { action: 'submitted' | 'dismissed' | 'edited'; sender_id: number },
): void {
  const repository = context.store.repository(review.repository_id);
  const issue = context.store.issue(repository, review.pull_number);
  if (!issue || !isPull(issue)) throw new Error(`the forge has no pull request ${review.pull_number}`);
  const shown = {
    ...reviewPayload(context, review),
    state: review.state.toLowerCase(),
    submitted_at: review.submitted_at,
    body: review.body === '' ? null : review.body,
  };
  const payload = { review: shown, pull_request: pullSummary(context, issue) };
  context.emit({ name: 'pull_request_review', action, repository, sender_id, payload });
}
