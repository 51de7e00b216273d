import type { PullIssue, Review } from '../model.ts';
import type { DiffComment } from '../operations/reviews.ts';
import { nodeIdParts } from '../payloads/links.ts';
import { sees } from '../permissions.ts';
import { isPull } from '../store.ts';
import { accountNode } from './accounts.ts';
import { nodeNotFound } from './errors.ts';
import { issueCommentNode, issueNode, pullNode } from './issues.ts';
import { isReadable, readIssues, readPulls, repositoryNode } from './repositories.ts';
import { isVisible, reviewCommentNode, reviewNode } from './reviews.ts';
import type { Viewer } from './viewer.ts';

/** The result of `node` and `nodes`. A node that the viewer cannot see does not exist for them. */
export function nodeById(viewer: Viewer, node_id: string): object {
  const { kind, id } = nodeIdParts(node_id);
  const node = finders[kind]?.(viewer, Number(id));
  if (node === undefined) throw nodeNotFound(node_id);
  return node;
}

export function pullById(viewer: Viewer, node_id: string): PullIssue {
  const { kind, id } = nodeIdParts(node_id);
  const issue = kind === 'PullRequest' ? findPull(viewer, Number(id)) : undefined;
  if (issue === undefined) throw nodeNotFound(node_id);
  return issue;
}

export function reviewCommentById(viewer: Viewer, node_id: string): DiffComment {
  const { kind, id } = nodeIdParts(node_id);
  const found = kind === 'PullRequestReviewComment' ? findDiffComment(viewer, Number(id)) : undefined;
  if (found === undefined) throw nodeNotFound(node_id);
  return found;
}

type Finder = (viewer: Viewer, id: number) => object | undefined;

const finders: Readonly<Record<string, Finder>> = {
  User: findAccount,
  Bot: findAccount,
  Repository(viewer, id) {
    const repository = viewer.context.store.data.repositories.find((one) => one.id === id);
    return repository && sees(viewer.actor, repository) ? repositoryNode(viewer, repository) : undefined;
  },
  Issue(viewer, id) {
    const issue = viewer.context.store.data.issues.find((one) => one.id === id && one.pull === null);
    return issue && visible(viewer, issue, [readIssues]) ? issueNode(viewer, issue) : undefined;
  },
  PullRequest(viewer, id) {
    const issue = findPull(viewer, id);
    return issue && pullNode(viewer, issue);
  },
  IssueComment(viewer, id) {
    const comment = viewer.context.store.data.comments.find((one) => one.id === id);
    const readable = comment && visible(viewer, comment, [readIssues, readPulls]);
    return readable ? issueCommentNode(viewer, comment) : undefined;
  },
  PullRequestReview(viewer, id) {
    const review = viewer.context.store.data.reviews.find((one) => one.id === id);
    return review && isShown(viewer, review) ? reviewNode(viewer, review) : undefined;
  },
  PullRequestReviewComment(viewer, id) {
    const found = findDiffComment(viewer, id);
    return found && reviewCommentNode(viewer, found.review, found.comment);
  },
};

function findAccount({ context }: Viewer, id: number): object | undefined {
  const account = context.store.data.accounts.find((one) => one.id === id && !one.deleted);
  return account && accountNode(context, account);
}

function findPull(viewer: Viewer, id: number): PullIssue | undefined {
  const issue = viewer.context.store.data.issues.filter(isPull).find(({ pull }) => pull.id === id);
  return issue && visible(viewer, issue, [readPulls]) ? issue : undefined;
}

function findDiffComment(viewer: Viewer, id: number): DiffComment | undefined {
  const diffComments = viewer.context.store.data.reviews.flatMap((review) =>
    review.comments.map((comment) => ({ review, comment })),
  );
  const found = diffComments.find(({ comment }) => comment.id === id);
  return found && isShown(viewer, found.review) ? found : undefined;
}

function isShown(viewer: Viewer, review: Review): boolean {
  return isVisible(viewer, review) && visible(viewer, review, [readPulls]);
}

function visible(
  viewer: Viewer,
  { repository_id }: { repository_id: number },
  permissions: Parameters<typeof isReadable>[2],
): boolean {
  return isReadable(viewer, viewer.context.store.repository(repository_id), permissions);
}
