import { z } from 'zod';
import type { GitHubEvent } from './github-event.ts';
import { author, changes, envelope, originOf, pull, text } from './payload-parts.ts';

const details = z.object({
  updated_at: z.string(),
  closed_at: z.string().nullish(),
  merged: z.boolean().nullish(),
  body: text,
  user: author,
  commits: z.number().default(0),
});

const payload = envelope.extend({
  action: z.enum([
    ...['opened', 'ready_for_review', 'synchronize', 'closed', 'reopened', 'edited', 'labeled', 'unlabeled'],
    ...['enqueued', 'dequeued'],
  ] as const),
  reason: z.string().default(''),
  label: z.object({ name: z.string() }).optional(),
  pull_request: details.and(pull),
  changes,
});

const movement = z.object({ before: z.string(), after: z.string() });

/** A pull request was opened, pushed to, closed, reopened, retargeted, labelled or queued, or edited. */
export function readPullRequest(raw: unknown): GitHubEvent[] {
  const parsed = payload.parse(raw);
  const { updated_at, closed_at, merged, body, user, commits, ...about } = parsed.pull_request;
  const now = { ...originOf(parsed), at: updated_at, pull: about };
  const turned = { kind: 'dependency_turned', ...originOf(parsed), what: about.number } as const;
  const changed = { kind: 'pull_changed', ...now, opener: user, commits } as const;
  switch (parsed.action) {
    case 'opened':
    case 'ready_for_review':
      return [changed];
    case 'synchronize':
      return [{ kind: 'pushed', ...now, ...movement.parse(raw) }, changed];
    case 'closed':
      return [{ kind: 'closed', ...now, at: closed_at ?? updated_at, merged: merged ?? false }, turned];
    case 'reopened':
      return [{ kind: 'reopened', ...now }, changed, turned];
    case 'enqueued':
      return [{ kind: 'enqueued', ...now }];
    case 'dequeued':
      return [{ kind: 'dequeued', ...now, reason: parsed.reason }];
    case 'labeled':
    case 'unlabeled':
      return parsed.label === undefined ? [] : [{ kind: 'relabeled', ...now, label: parsed.label.name }];
    case 'edited': {
      const { body: text_before, base } = parsed.changes ?? {};
      return [
        ...(base === undefined ? [] : [{ kind: 'retargeted', ...now } as const, changed]),
        ...(text_before === undefined
          ? []
          : [{ kind: 'body_edited', ...now, before: text_before.from, after: body } as const]),
      ];
    }
  }
}
