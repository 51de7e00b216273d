import { z } from 'zod';
import type { GitHubEventOf } from '../github-event.ts';
import { author, changes, envelope, labels, originOf, text } from './parts.ts';

export const issue = z
  .object({
    number: z.number(),
    title: z.string(),
    body: text,
    state: z.string().default('open'),
    pull_request: z.unknown().optional(),
    updated_at: z.string(),
    labels,
  })
  .transform(({ state, pull_request, ...rest }) => ({
    ...rest,
    open: state === 'open',
    is_pull: pull_request !== undefined && pull_request !== null,
  }));

export const comment = z.object({ id: z.number(), body: text, user: author, updated_at: z.string() });

const payload = envelope.extend({
  action: z.enum(['created', 'edited', 'deleted']),
  issue,
  comment,
  changes,
});

/** A comment on an issue or a pull request. A deletion has no time of its own, so the issue's is used. */
export function readIssueComment(raw: unknown): GitHubEventOf<'comment'>[] {
  const parsed = payload.parse(raw);
  const former = parsed.changes?.body?.from ?? null;
  if (parsed.action === 'edited' && former === null) return [];
  const { updated_at, ...about } = parsed.issue;
  const { user, ...rest } = parsed.comment;
  const at = parsed.action === 'deleted' ? updated_at : rest.updated_at;
  return [
    {
      kind: 'comment',
      ...originOf(parsed),
      at,
      action: parsed.action,
      comment: { ...rest, former },
      author: user,
      issue: about,
    },
  ];
}
