import { ZodError } from 'zod';
import type { GitHubEvent } from './github-event.ts';
import {
  readClick,
  readCompletedRun,
  readCompletedSuite,
  readRerequestedRun,
  readRerequestedSuite,
} from './payloads/checks.ts';
import { readInstallation } from './payloads/installation.ts';
import { readIssueComment } from './payloads/issue-comment.ts';
import { readLabeledIssue } from './payloads/issues.ts';
import { readPullRequest } from './payloads/pull-request.ts';
import { readPullRequestReview } from './payloads/pull-request-review.ts';
import { readPush } from './payloads/push.ts';
import { readDispatch, readSchedule, type WorkflowRun } from './payloads/workflow.ts';

export type { WorkflowRun } from './payloads/workflow.ts';

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
  ['check_run.requested_action', readClick],
  ['check_run.completed', readCompletedRun],
  ['check_run.rerequested', readRerequestedRun],
  ['check_suite.rerequested', readRerequestedSuite],
  ['check_suite.completed', readCompletedSuite],
  ['push', readPush],
  ['installation.created', readInstallation],
  ['installation_repositories.added', readInstallation],
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
