import { ZodError, z } from 'zod';
import {
  readClick,
  readCompletedRun,
  readCompletedSuite,
  readRerequestedRun,
  readRerequestedSuite,
} from './check-payloads.ts';
import type { GitHubEvent, GitHubEventOf } from './github-event.ts';
import {
  account,
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

/** The payload of a known event lacks fields that GitHub documents. */
export class PayloadUnreadable extends Error {
  override name = 'PayloadUnreadable';
}

type Reader = (payload: unknown) => GitHubEvent[];

/** Every event and action we handle; all others are ignored. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['issue_comment.created', readIssueComment],
  ['issue_comment.edited', readIssueComment],
  ['issue_comment.deleted', readIssueComment],
  ['issues.labeled', readLabeledIssue],
  ['issues.closed', readTurnedIssue],
  ['issues.reopened', readTurnedIssue],
  ['pull_request_review.submitted', readPullRequestReview],
  ['pull_request_review.edited', readPullRequestReview],
  ['pull_request_review.dismissed', readPullRequestReview],
  ['pull_request.opened', readPullRequest],
  ['pull_request.ready_for_review', readPullRequest],
  ['pull_request.labeled', readPullRequest],
  ['pull_request.unlabeled', readPullRequest],
  ['pull_request.synchronize', readPullRequest],
  ['pull_request.closed', readPullRequest],
  ['pull_request.reopened', readPullRequest],
  ['pull_request.edited', readPullRequest],
  ['pull_request.enqueued', readPullRequest],
  ['pull_request.dequeued', readPullRequest],
  ['merge_group.checks_requested', readMergeGroup],
  ['merge_group.destroyed', readMergeGroup],
  ['check_run.requested_action', readClick],
  ['check_run.completed', readCompletedRun],
  ['check_run.rerequested', readRerequestedRun],
  ['check_suite.rerequested', readRerequestedSuite],
  ['check_suite.completed', readCompletedSuite],
  ['push', readPush],
  ['installation.created', readInstallation],
  ['installation.deleted', readInstallation],
  ['installation_repositories.added', readInstallation],
  ['installation_repositories.removed', readInstallation],
  ['github_app_authorization.revoked', readRevocation],
]);

/** Reads a webhook's payload. Throws `PayloadUnreadable`. */
export function readPayload(name: string, payload: unknown): GitHubEvent[] {
  const event = name === 'push' ? name : `${name}.${actionOf(payload)}`;
  const read = readers.get(event);
  return read === undefined ? [] : reading(event, () => read(payload));
}

/** Reads the event that started a workflow: a webhook's payload, or one of Actions' own events. */
export function readActionEvent(name: string, payload: unknown, run: WorkflowRun): GitHubEvent[] {
  switch (name) {
    case 'workflow_dispatch':
      return reading(name, () => readDispatch(payload, run));
    case 'schedule':
      return reading(name, () => readSchedule(payload));
    case 'pull_request_target':
      return readPayload('pull_request', payload);
  }
  return readPayload(name, payload);
}

/** Whether we handle this event, by name and action only. */
export function isReadable(name: string, action: string | null): boolean {
  return readers.has(action === null ? name : `${name}.${action}`);
}

function reading(event: string, read: () => GitHubEvent[]): GitHubEvent[] {
  try {
    return read();
  } catch (cause) {
    const what = `could not read the payload of ${event}`;
    if (!(cause instanceof ZodError)) throw new PayloadUnreadable(what, { cause });
    throw new PayloadUnreadable(`${what}, which is not as GitHub documents it: ${problemsIn(cause)}`);
  }
}

function problemsIn({ issues }: ZodError): string {
  const problems = issues.slice(0, 3).map(({ path, message }) => `${path.join('.')}: ${message}`);
  return problems.join('; ');
}

function actionOf(payload: unknown): string {
  const action = typeof payload === 'object' && payload !== null && 'action' in payload ? payload.action : '';
  return typeof action === 'string' ? action : '';
}

/** `pushed_at` is in seconds in a push payload; elsewhere it is a date. */
const pushedAt = z.union([
  z.number().transform((seconds) => new Date(seconds * 1000).toISOString()),
  z.string(),
]);

const pushPayload = envelope.extend({ ref: z.string(), before: z.string(), deleted: z.boolean() });
const time = z.object({ repository: z.object({ pushed_at: pushedAt }) });

const branches = 'refs/heads/';

/** A branch was deleted or has got commits, which also arrive as `pull_request.synchronize`. */
function readPush(raw: unknown): GitHubEvent[] {
  const { ref, before, deleted, ...parsed } = pushPayload.parse(raw);
  if (!ref.startsWith(branches)) return [];
  const branch = ref.slice(branches.length);
  if (!deleted) return [{ kind: 'dependency_turned', ...originOf(parsed), what: branch }];
  const at = time.parse(raw).repository.pushed_at;
  return [{ kind: 'branch_deleted', ...originOf(parsed), at, branch, before }];
}

/** GitHub does not always say who has done it; nothing depends on it. */
const mergeGroup = envelope.extend({
  sender: envelope.shape.sender.default({ login: 'github-merge-queue[bot]', id: 0, bot: true }),
  action: z.enum(['checks_requested', 'destroyed']),
  reason: z.string().optional(),
  merge_group: z.object({ head_sha: z.string(), base_ref: z.string() }),
});

function readMergeGroup(raw: unknown): GitHubEvent[] {
  const { action, reason, merge_group, ...parsed } = mergeGroup.parse(raw);
  const { head_sha, base_ref } = merge_group;
  const base = base_ref.startsWith(branches) ? base_ref.slice(branches.length) : base_ref;
  return [{ kind: 'merge_group', ...originOf(parsed), action, base, head_sha, merged: reason === 'merged' }];
}

/** Facts about the workflow run that its payload lacks. */
interface WorkflowRun {
  /** `GITHUB_RUN_ID` */
  readonly run_id: number;
  /** `GITHUB_TRIGGERING_ACTOR`: who has started its job, or has run it again; absent on older servers. */
  readonly started_by?: string | undefined;
}

const inputs = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .nullish()
  .transform((given) =>
    Object.fromEntries(Object.entries(given ?? {}).map(([name, value]) => [name, String(value ?? '')])),
  );

const dispatch = envelope.extend({ inputs });

/**
 * The workflow was started manually or by an App. When its job is run again, by whoever may write, the
 * payload names the first one as before.
 */
function readDispatch(raw: unknown, { run_id, started_by }: WorkflowRun): GitHubEvent[] {
  const { inputs, ...parsed } = dispatch.parse(raw);
  const isAnother = started_by !== undefined && started_by !== parsed.sender.login;
  const again = isAnother && { again_by: started_by };
  return [{ kind: 'dispatch', ...originOf(parsed), run_id, inputs, ...again }];
}

/** A schedule may have no sender; the Actions app stands in for it. */
const schedule = envelope.extend({
  sender: envelope.shape.sender.default({ login: 'github-actions[bot]', id: 0, bot: true }),
});

function readSchedule(raw: unknown): GitHubEvent[] {
  return [{ kind: 'schedule', ...originOf(schedule.parse(raw)) }];
}

const repositories = z
  .array(z.object({ id: z.number(), name: z.string(), full_name: z.string(), private: z.boolean() }))
  .transform((all) =>
    all.map(({ full_name, ...rest }) => ({ ...rest, owner: full_name.split('/')[0] ?? full_name })),
  )
  .default([]);

const installed = z.object({
  action: z.string(),
  installation: z.object({ id: z.number(), account: z.object({ login: z.string() }) }),
  repositories,
  repositories_added: repositories,
  repositories_removed: repositories,
  sender: account,
});

/** The App was installed or uninstalled, or repositories were given to it or taken from it. */
function readInstallation(raw: unknown): GitHubEventOf<'installed'>[] {
  const { action, installation, sender, repositories: all, ...named } = installed.parse(raw);
  const [given, taken] = action === 'deleted' ? [[], all] : [all, []];
  return [
    {
      kind: 'installed',
      installation_id: installation.id,
      sender,
      account: installation.account.login,
      repositories: [...given, ...named.repositories_added],
      removed: [...taken, ...named.repositories_removed].map(({ id }) => id),
    },
  ];
}

/** It is about the App as a whole, so that the payload names no installation and no repository. */
function readRevocation(raw: unknown): GitHubEventOf<'authorization_revoked'>[] {
  const { sender } = z.object({ sender: account }).parse(raw);
  return [{ kind: 'authorization_revoked', installation_id: null, sender }];
}

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

const commentPayload = envelope.extend({
  action: z.enum(['created', 'edited', 'deleted']),
  issue,
  comment,
  changes,
});

/** A comment on an issue or a pull request. A deletion has no time of its own, so the issue's is used. */
function readIssueComment(raw: unknown): GitHubEventOf<'comment'>[] {
  const parsed = commentPayload.parse(raw);
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
function readLabeledIssue(raw: unknown): GitHubEventOf<'labeled'>[] {
  const parsed = labelled.parse(raw);
  const { updated_at, ...about } = parsed.issue;
  return [{ kind: 'labeled', ...originOf(parsed), at: updated_at, label: parsed.label.name, issue: about }];
}

const turned = envelope.extend({ issue: z.object({ number: z.number() }) });

/** An issue was closed or reopened. */
function readTurnedIssue(raw: unknown): GitHubEventOf<'dependency_turned'>[] {
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
function readPullRequestReview(raw: unknown): GitHubEventOf<'review'>[] {
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
function readPullRequest(raw: unknown): GitHubEvent[] {
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
