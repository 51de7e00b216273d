import type { PullIssue } from '../model.ts';
import { disableAutoMerge, enableAutoMerge } from '../operations/issues.ts';
import { mergeWhenReady } from '../operations/merging.ts';
import { mergeability } from '../operations/pull-details.ts';
import { setDraft } from '../operations/pulls.ts';
import { editDiffComment } from '../operations/reviews.ts';
import { hasMergeRules } from '../rules/merging.ts';
import { actorNode } from './accounts.ts';
import { pullNode } from './issues.ts';
import { pullById, reviewCommentById } from './nodes.ts';
import { reviewCommentNode } from './reviews.ts';
import {
  accountOf,
  type Input,
  type OnPull,
  ownRole,
  ResolverError,
  requireWriteAccess,
  type Viewer,
} from './viewer.ts';

type UpdateReviewComment = Input<{ pullRequestReviewCommentId: string; body: string }>;

export function mutations(viewer: Viewer) {
  return {
    markPullRequestReadyForReview: ({ input }: OnPull) =>
      draftSet(viewer, input, { draft: false, type: 'MarkPullRequestReadyForReview' }),
    convertPullRequestToDraft: ({ input }: OnPull) =>
      draftSet(viewer, input, { draft: true, type: 'ConvertPullRequestToDraft' }),
    ...autoMergeMutations(viewer),
    updatePullRequestReviewComment: ({ input }: UpdateReviewComment) => reviewCommentUpdated(viewer, input),
  };
}

async function draftSet(
  viewer: Viewer,
  { pullRequestId, clientMutationId }: OnPull['input'],
  { draft, type }: { draft: boolean; type: string },
) {
  const issue = pullById(viewer, pullRequestId);
  requireWriteAccess(viewer, issue, { type, role: ownRole(viewer, issue.user_id) });
  await setDraft(viewer.context, issue, { draft, sender_id: accountOf(viewer).id });
  await mergeWhenReady(viewer.context, issue);
  return { clientMutationId, pullRequest: pullNode(viewer, issue) };
}

function reviewCommentUpdated(viewer: Viewer, input: UpdateReviewComment['input']) {
  const { pullRequestReviewCommentId, body, clientMutationId } = input;
  const found = reviewCommentById(viewer, pullRequestReviewCommentId);
  const { review, comment } = found;
  const role = ownRole(viewer, review.user_id);
  requireWriteAccess(viewer, review, { type: 'UpdatePullRequestReviewComment', role });
  editDiffComment(viewer.context, found, { body, editor_id: accountOf(viewer).id });
  return { clientMutationId, pullRequestReviewComment: reviewCommentNode(viewer, review, comment) };
}

const mergeMethods = { MERGE: 'merge', REBASE: 'rebase', SQUASH: 'squash' } as const;

type Enabling = Input<{
  pullRequestId: string;
  mergeMethod?: keyof typeof mergeMethods | null;
  expectedHeadOid?: string | null;
  commitHeadline?: string | null;
  commitBody?: string | null;
}>;

export function autoMergeMutations(viewer: Viewer) {
  return {
    enablePullRequestAutoMerge: ({ input }: Enabling) => enabled(viewer, input),
    disablePullRequestAutoMerge: ({ input }: OnPull) => disabled(viewer, input),
  };
}

async function enabled(viewer: Viewer, input: Enabling['input']) {
  const { context } = viewer;
  const issue = pullById(viewer, input.pullRequestId);
  const permissions = { pull_requests: 'write', contents: 'write' } as const;
  requireWriteAccess(viewer, issue, { type: 'EnablePullRequestAutoMerge', role: 'write', permissions });
  const refusal = await refusalOf(viewer, issue, input.expectedHeadOid ?? issue.pull.head_sha);
  if (refusal !== undefined) throw new ResolverError('UNPROCESSABLE', refusal);
  const sender_id = accountOf(viewer).id;
  await enableAutoMerge(context, issue, {
    enabled_by_id: sender_id,
    merge_method: mergeMethods[input.mergeMethod ?? 'MERGE'],
    commit_title: input.commitHeadline ?? null,
    commit_message: input.commitBody ?? null,
  });
  return payload(viewer, issue, input);
}

/** The author may disable it, too. */
async function disabled(viewer: Viewer, input: OnPull['input']) {
  const issue = pullById(viewer, input.pullRequestId);
  const role = ownRole(viewer, issue.user_id);
  requireWriteAccess(viewer, issue, { type: 'DisablePullRequestAutoMerge', role });
  if (issue.pull.auto_merge === null) {
    throw new ResolverError('UNPROCESSABLE', "Can't disable auto-merge for this pull request.");
  }
  const sender_id = accountOf(viewer).id;
  await disableAutoMerge(viewer.context, issue, { sender_id, why: 'manually_disabled' });
  return payload(viewer, issue, input);
}

function payload(viewer: Viewer, issue: PullIssue, { clientMutationId }: OnPull['input']) {
  const actor = actorNode(viewer.context, accountOf(viewer).id);
  return { actor, clientMutationId, pullRequest: pullNode(viewer, issue) };
}

/** Auto-merge can be enabled only while rules of the base branch hinder a merge. The words are GitHub's. */
async function refusalOf({ context }: Viewer, issue: PullIssue, head: string): Promise<string | undefined> {
  const { settings } = context.store.repository(issue.repository_id);
  if (!settings.allow_auto_merge) return 'Pull request Auto merge is not allowed for this repository';
  if (issue.state === 'closed') return 'Pull request Pull request is closed';
  if (issue.pull.draft) return 'Pull request Pull request is a draft';
  if (head !== issue.pull.head_sha) return 'Head branch was modified. Review and try the merge again.';
  const { state } = await mergeability(context, issue);
  if (state === 'clean' || state === 'unstable') return `Pull request Pull request is in ${state} status`;
  if (hasMergeRules(context, issue)) return undefined;
  return 'Pull request Protected branch rules not configured for this branch';
}
