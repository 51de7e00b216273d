import { z } from 'zod';
import type { GitHubEventOf } from '../github-event.ts';
import { author, changes, envelope, labels, opener, originOf, text, writingApp } from './parts.ts';

export const issue = z
  .object({
    number: z.number(),
    title: z.string(),
    body: text,
    state: z.string().default('open'),
    pull_request: z.unknown().optional(),
    updated_at: z.string(),
    user: opener,
    labels,
  })
  .transform(({ state, pull_request, user, ...rest }) => ({
    ...rest,
    ...user,
    open: state === 'open',
    is_pull: pull_request !== undefined && pull_request !== null,
  }));

const comment = z.object({
  id: z.number(),
  node_id: z.string(),
  body: text,
  user: author,
  created_at: z.string(),
  updated_at: z.string(),
  performed_via_github_app: writingApp,
});

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
  const { user, performed_via_github_app: via_app, ...rest } = parsed.comment;
  const at = parsed.action === 'deleted' ? updated_at : rest.updated_at;
  // A delivery may be late, and then contain the text as someone has edited it meanwhile.
  const is_own_text = parsed.action === 'created' && rest.created_at === rest.updated_at;
  return [
    {
      kind: 'comment',
      ...originOf(parsed),
      at,
      action: parsed.action,
      comment: { ...rest, former, via_app, is_own_text },
      author: user,
      issue: about,
    },
  ];
}
