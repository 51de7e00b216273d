import type { Permissions, PullIssue, Role } from '../model.ts';
import { mergeWhenReady } from '../operations/merging.ts';
import { mergeability } from '../operations/pull-details.ts';
import { setAutoMerge, setDraft } from '../operations/pulls.ts';
import { editDiffComment } from '../operations/reviews.ts';
import { needs, requireAccess } from '../permissions.ts';
import { actorNode } from './accounts.ts';
import { notAccessible, ResolverError } from './errors.ts';
import { pullNode } from './issues.ts';
import { pullById, reviewCommentById } from './nodes.ts';
import { reviewCommentNode } from './reviews.ts';
import { accountOf, type Viewer } from './viewer.ts';

const mergeMethods = { MERGE: 'merge', REBASE: 'rebase', SQUASH: 'squash' } as const;

/** The input of a mutation: its fields, and an id of the client's that is returned to it. */
type Input<Fields> = { input: Fields & { clientMutationId?: string | null } };
type OnPull = Input<{ pullRequestId: string }>;

type EnableAutoMerge = Input<{
  pullRequestId: string;
  mergeMethod?: keyof typeof mergeMethods | null;
  expectedHeadOid?: string | null;
  commitHeadline?: string | null;
  commitBody?: string | null;
}>;

type UpdateReviewComment = Input<{ pullRequestReviewCommentId: string; body: string }>;

export function mutations(viewer: Viewer) {
  return {
    markPullRequestReadyForReview: ({ input }: OnPull) =>
      draftSet(viewer, input, { draft: false, type: 'MarkPullRequestReadyForReview' }),
    convertPullRequestToDraft: ({ input }: OnPull) =>
      draftSet(viewer, input, { draft: true, type: 'ConvertPullRequestToDraft' }),
    enablePullRequestAutoMerge: ({ input }: EnableAutoMerge) => autoMergeEnabled(viewer, input),
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

async function autoMergeEnabled(viewer: Viewer, input: EnableAutoMerge['input']) {
  const { context } = viewer;
  const issue = pullById(viewer, input.pullRequestId);
  requireWriteAccess(viewer, issue, { type: 'EnablePullRequestAutoMerge', role: 'write' });
  await requireAutoMergeable(viewer, issue, input.expectedHeadOid ?? issue.pull.head_sha);
  const sender_id = accountOf(viewer).id;
  await setAutoMerge(context, issue, {
    enabled_by_id: sender_id,
    merge_method: mergeMethods[input.mergeMethod ?? 'MERGE'],
    commit_title: input.commitHeadline ?? null,
    commit_message: input.commitBody ?? null,
  });
  const { clientMutationId } = input;
  return { actor: actorNode(context, sender_id), clientMutationId, pullRequest: pullNode(viewer, issue) };
}

/** Auto-merge can only be enabled for a pull request that cannot be merged yet. */
async function requireAutoMergeable({ context }: Viewer, issue: PullIssue, head: string): Promise<void> {
  const { settings } = context.store.repository(issue.repository_id);
  if (!settings.allow_auto_merge) {
    throw new ResolverError('UNPROCESSABLE', 'Auto merge is not allowed for this repository');
  }
  if (head !== issue.pull.head_sha) {
    throw new ResolverError('UNPROCESSABLE', 'Head branch was modified. Review and try the merge again.');
  }
  if ((await mergeability(context, issue)).state === 'clean') {
    throw new ResolverError('UNPROCESSABLE', 'Pull request is in clean status');
  }
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

/** Authors may change their own texts; others need write access. */
function ownRole({ actor }: Viewer, author_id: number): Role {
  return actor.kind === 'user' && actor.account.id === author_id ? 'read' : 'write';
}

const writePulls: Permissions = { pull_requests: 'write' };

function requireWriteAccess(
  viewer: Viewer,
  { repository_id }: { repository_id: number },
  { type, role }: { type: string; role: Role },
): void {
  const { actor, context } = viewer;
  const repository = context.store.repository(repository_id);
  try {
    requireAccess(actor, { repository, needs: needs(role, writePulls) });
  } catch (cause) {
    throw Object.assign(forbidden(viewer, type), { cause });
  }
}

function forbidden({ actor }: Viewer, type: string): ResolverError {
  if (actor.kind !== 'user') return notAccessible();
  const message = `${actor.account.login} does not have the correct permissions to execute \`${type}\``;
  return new ResolverError('FORBIDDEN', message);
}
