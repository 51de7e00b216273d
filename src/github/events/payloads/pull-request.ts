import { z } from 'zod';
import type { GitHubEvent } from '../github-event.ts';
import { changes, envelope, originOf, pull, text } from './parts.ts';

const times = z.object({
  updated_at: z.string(),
  closed_at: z.string().nullish(),
  merged: z.boolean().nullish(),
  body: text,
});

const payload = envelope.extend({
  action: z.enum(['synchronize', 'closed', 'reopened', 'edited']),
  pull_request: times.and(pull),
  changes,
});

const movement = z.object({ before: z.string(), after: z.string() });

/** A pull request was pushed to, closed, reopened or retargeted, or its body was edited. */
export function readPullRequest(raw: unknown): GitHubEvent[] {
  const parsed = payload.parse(raw);
  const { updated_at, closed_at, merged, body, ...about } = parsed.pull_request;
  const now = { ...originOf(parsed), at: updated_at };
  switch (parsed.action) {
    case 'synchronize':
      return [{ kind: 'pushed', ...now, pull: about, ...movement.parse(raw) }];
    case 'closed':
      return [{ kind: 'closed', ...now, at: closed_at ?? updated_at, pull: about, merged: merged ?? false }];
    case 'reopened':
      return [{ kind: 'reopened', ...now, pull: about }];
    case 'edited': {
      const { body: text_before, base } = parsed.changes ?? {};
      const edit = { ...now, pull: about };
      return [
        ...(base === undefined ? [] : [{ kind: 'retargeted', ...edit } as const]),
        ...(text_before === undefined
          ? []
          : [{ kind: 'body_edited', ...edit, before: text_before.from, after: body } as const]),
      ];
    }
  }
}
