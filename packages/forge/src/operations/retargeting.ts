import { type Context, gitOf, timestamp } from '../context.ts';
import type { PullIssue } from '../model.ts';
import { type FieldError, HttpError } from '../responses.ts';
import { recordIssueEvent } from './issue-events.ts';
import { emitIssueEvent } from './issues.ts';

interface NewBase {
  base: string;
  sender_id: number;
}

/** Changes the base branch because somebody asks for it; throws GitHub's error if that is not possible. */
export async function retarget(
  context: Context,
  issue: PullIssue,
  { base, sender_id }: NewBase,
): Promise<void> {
  const from = { ref: issue.pull.base_ref, sha: issue.pull.base_sha };
  if (base === from.ref) return;
  const obstacle = await obstacleTo(context, issue, base);
  if (obstacle !== undefined) throw invalidBase(obstacle);
  await setBase(context, issue, base);
  recordIssueEvent(context, issue, {
    event: 'base_ref_changed',
    previous: from.ref,
    current: base,
    actor_id: sender_id,
  });
  const changes = { base: { ref: { from: from.ref }, sha: { from: from.sha } } };
  await emitIssueEvent(context, issue, { action: 'edited', sender_id, more: { changes } });
}

/**
 * Changes the base because its branch was merged and deleted, or renamed. GitHub does this silently: only the
 * timeline tells of it, no webhook. Returns whether it was possible.
 */
export async function retargetSilently(
  context: Context,
  issue: PullIssue,
  { base, sender_id }: NewBase,
): Promise<boolean> {
  const previous = issue.pull.base_ref;
  if ((await obstacleTo(context, issue, base)) !== undefined) return false;
  await setBase(context, issue, base);
  recordIssueEvent(context, issue, {
    event: 'automatic_base_change_succeeded',
    previous,
    current: base,
    actor_id: sender_id,
  });
  return true;
}

async function setBase(context: Context, issue: PullIssue, base: string): Promise<void> {
  const git = gitOf(context, context.store.repository(issue.repository_id));
  issue.pull.base_ref = base;
  issue.pull.base_sha = (await git.ref(`refs/heads/${base}`)) ?? issue.pull.base_sha;
  issue.updated_at = timestamp(context);
}

/** Why the pull request cannot have this base, in GitHub's words. */
async function obstacleTo(context: Context, issue: PullIssue, base: string): Promise<string | undefined> {
  const repository = context.store.repository(issue.repository_id);
  const git = gitOf(context, repository);
  const { head_ref, head_sha } = issue.pull;
  if (issue.state === 'closed') return 'Cannot change the base branch of a closed pull request.';
  const tip = await git.ref(`refs/heads/${base}`);
  if (tip === undefined) return `Proposed base branch '${base}' was not found`;
  const names = `base branch '${base}' and head branch '${head_ref}'`;
  const twin = context.store
    .pulls(repository)
    .find(({ state, pull }) => state === 'open' && pull.head_ref === head_ref && pull.base_ref === base);
  if (twin) return `A pull request already exists for ${names}`;
  if (await git.isAncestor(head_sha, tip)) return `There are no new commits between ${names}`;
  return undefined;
}

function invalidBase(message: string): HttpError {
  const error: FieldError = { message, resource: 'PullRequest', field: 'base', code: 'invalid' };
  return new HttpError(422, 'Validation Failed', { errors: [error] });
}
