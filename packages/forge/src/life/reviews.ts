import type { Review } from '../model.ts';
import { pullSummary, reviewPayload } from '../payloads/pulls.ts';
import type { Site } from '../site.ts';
import { isPull } from '../store.ts';

/** Tells of a review; webhooks write its state small. */
export function tellOfReview(
  site: Site,
  review: Review,
  { action, sender_id }: { action: 'submitted' | 'dismissed' | 'edited'; sender_id: number },
): void {
  const repository = site.store.repository(review.repository_id);
  const issue = site.store.issue(repository, review.pull_number);
  if (!issue || !isPull(issue)) throw new Error(`the forge lost pull request ${review.pull_number}`);
  const shown = {
    ...reviewPayload(site, review),
    state: review.state.toLowerCase(),
    submitted_at: review.submitted_at,
    body: review.body === '' ? null : review.body,
  };
  const payload = { review: shown, pull_request: pullSummary(site, issue) };
  site.emit({ event: 'pull_request_review', action, repository, sender_id, payload });
}
