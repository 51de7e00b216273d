import { mergeWhenReady } from '../operations/merging.ts';
import { setDraft } from '../operations/pulls.ts';
import { editDiffComment } from '../operations/reviews.ts';
import { autoMergeMutations } from './auto-merge.ts';
import { pullNode } from './issues.ts';
import { pullById, reviewCommentById } from './nodes.ts';
import { reviewCommentNode } from './reviews.ts';
import { accountOf, type Viewer } from './viewer.ts';
import { type Input, type OnPull, ownRole, requireWriteAccess } from './writing.ts';

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
