import { fullName } from '../context.ts';
import type { Issue, Permissions, PullIssue, Repository, Review } from '../model.ts';
import type { DiffComment } from '../operations/reviews.ts';
import { htmlLink, nodeId, nodeIdParts } from '../payloads/links.ts';
import { needs, requireAccess, sees } from '../permissions.ts';
import { isPull } from '../store.ts';
import { accountNode } from './accounts.ts';
import { issueCommentNode, issueNode, pullNode } from './issues.ts';
import { isVisible, reviewCommentNode, reviewNode } from './reviews.ts';
import { nodeNotFound, notAccessible, ResolverError, type Viewer } from './viewer.ts';

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

/** The permissions that let an App read issues and pull requests. */
export const readIssues: Permissions = { issues: 'read' };
export const readPulls: Permissions = { pull_requests: 'read' };

export function repositoryNamed(viewer: Viewer, owner: string, name: string) {
  const repository = viewer.context.store.repositoryNamed(owner, name);
  if (repository && sees(viewer.actor, repository)) return repositoryNode(viewer, repository);
  const message = `Could not resolve to a Repository with the name '${owner}/${name}'.`;
  throw new ResolverError('NOT_FOUND', message);
}

export function repositoryNode(viewer: Viewer, repository: Repository) {
  return {
    __typename: 'Repository',
    id: nodeId('Repository', repository.id),
    databaseId: repository.id,
    name: repository.name,
    nameWithOwner: fullName(viewer.context, repository),
    isPrivate: repository.private,
    url: htmlLink(viewer.context, repository),
    issue({ number }: { number: number }) {
      const issue = issueIn(viewer, repository, number);
      if (!issue || issue.pull) throw numberNotFound('an Issue', number);
      requireReadAccess(viewer, repository, [readIssues]);
      return issueNode(viewer, issue);
    },
    pullRequest({ number }: { number: number }) {
      const issue = issueIn(viewer, repository, number);
      if (!issue || !isPull(issue)) throw numberNotFound('a PullRequest', number);
      requireReadAccess(viewer, repository, [readPulls]);
      return pullNode(viewer, issue);
    },
  };
}

/** Whether the viewer can see the repository; throws if an App can see it but lacks the permission. */
export function isReadable(viewer: Viewer, repository: Repository, permissions: Permissions[]): boolean {
  if (!sees(viewer.actor, repository)) return false;
  requireReadAccess(viewer, repository, permissions);
  return true;
}

function requireReadAccess({ actor }: Viewer, repository: Repository, permissions: Permissions[]): void {
  try {
    requireAccess(actor, { repository, needs: needs('read', ...permissions) });
  } catch (cause) {
    throw Object.assign(notAccessible(), { cause });
  }
}

function issueIn({ context }: Viewer, repository: Repository, number: number): Issue | undefined {
  return context.store.issue(repository, number);
}

function numberNotFound(what: string, number: number): ResolverError {
  return new ResolverError('NOT_FOUND', `Could not resolve to ${what} with the number of ${number}.`);
}
