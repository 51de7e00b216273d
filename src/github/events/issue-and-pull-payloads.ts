import { z } from 'zod';
import type { GitHubEvent, GitHubEventOf } from './github-event.ts';
import {
  author,
  changes,
  envelope,
  labels,
  opener,
  originOf,
  pull,
  text,
  writingApp,
} from './payload-parts.ts';

const issue = z
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

const labelled = envelope.extend({ label: z.object({ name: z.string() }), issue });

/** An issue was labelled. */
export function readLabeledIssue(raw: unknown): GitHubEventOf<'labeled'>[] {
  const parsed = labelled.parse(raw);
  const { updated_at, ...about } = parsed.issue;
  return [{ kind: 'labeled', ...originOf(parsed), at: updated_at, label: parsed.label.name, issue: about }];
}

const turned = envelope.extend({ issue: z.object({ number: z.number() }) });

/** An issue was closed or reopened. */
export function readTurnedIssue(raw: unknown): GitHubEventOf<'dependency_turned'>[] {
  const parsed = turned.parse(raw);
  return [{ kind: 'dependency_turned', ...originOf(parsed), what: parsed.issue.number }];
}

/** Webhooks write a review's state in lower case, the API in upper case; pending reviews are not sent. */
const reviewState = z
  .string()
  .transform((state) => state.toLowerCase())
  .pipe(z.enum(['approved', 'changes_requested', 'commented', 'dismissed']));

const reviewed = envelope.extend({
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
  const parsed = reviewed.parse(raw);
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

const details = z.object({
  updated_at: z.string(),
  closed_at: z.string().nullish(),
  merged: z.boolean().nullish(),
  body: text,
  user: author,
  commits: z.number().default(0),
});

const pullPayload = envelope.extend({
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
  const parsed = pullPayload.parse(raw);
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
