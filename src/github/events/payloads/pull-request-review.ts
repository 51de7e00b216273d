import { z } from 'zod';
import type { GitHubEventOf } from '../github-event.ts';
import { author, envelope, originOf, pull, text } from './parts.ts';

/** Webhooks write a review's state in lower case, the API in upper case; pending reviews are not sent. */
export const reviewState = z
  .string()
  .transform((state) => state.toLowerCase())
  .pipe(z.enum(['approved', 'changes_requested', 'commented', 'dismissed']));

const payload = envelope.extend({
  action: z.enum(['submitted', 'edited', 'dismissed']),
  review: z.object({
    id: z.number(),
    node_id: z.string(),
    state: reviewState,
    body: text,
    commit_id: text,
    user: author,
    submitted_at: z.string().nullish(),
  }),
  pull_request: pull.and(z.object({ updated_at: z.string() })),
});

/** A review. Edits and dismissals have no time of their own, so the pull request's is used. */
export function readPullRequestReview(raw: unknown): GitHubEventOf<'review'>[] {
  const parsed = payload.parse(raw);
  const { user, submitted_at, ...review } = parsed.review;
  const { updated_at, ...about } = parsed.pull_request;
  const at = parsed.action === 'submitted' ? (submitted_at ?? updated_at) : updated_at;
  return [
    {
      kind: 'review',
      ...originOf(parsed),
      at,
      action: parsed.action,
      review,
      author: user,
      pull: about,
    },
  ];
}
