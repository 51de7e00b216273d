import { fullName, gitOf } from '../context.ts';
import type { Data, Issue, Label, Permissions, PullIssue, Repository } from '../model.ts';
import { findLabel } from '../operations/issues.ts';
import { labelPayload } from '../payloads/issues.ts';
import { nodeId, nodeIdParts } from '../payloads/links.ts';
import { reviewCommentPayload } from '../payloads/pulls.ts';
import { repositoryDetails } from '../payloads/repositories.ts';
import { needs, requireAccess, roleOf, sees } from '../permissions.ts';
import { hasLabel, searched, sorted } from '../routes/issues.ts';
import { isPull } from '../store.ts';
import { refNode } from './commits.ts';
import { connection, type PageArguments } from './fields.ts';
import { entryNode, queueNode } from './queue.ts';
import { commentNode, issueNode, pullNode, reviewNode, stateOf, textNode } from './threads.ts';
import { notAccessible, ResolverError, type Viewer } from './viewer.ts';

/** The result of `node` and `nodes`. A node that the viewer cannot see does not exist for them. */
export function nodeById(viewer: Viewer, node_id: string): object {
  const { kind, id } = nodeIdParts(node_id);
  return found(finders[kind]?.(viewer, Number(id)), node_id);
}

export function pullById(viewer: Viewer, node_id: string): PullIssue {
  const { kind, id } = nodeIdParts(node_id);
  return found(kind === 'PullRequest' ? findPull(viewer, Number(id)) : undefined, node_id);
}

function found<Thing>(thing: Thing | undefined, node_id: string): Thing {
  if (thing !== undefined) return thing;
  throw new ResolverError('NOT_FOUND', `Could not resolve to a node with the global id of '${node_id}'`);
}

/** The permissions that let an App read issues and pull requests. */
const readIssues: Permissions = { issues: 'read' };
const readPulls: Permissions = { pull_requests: 'read' };

type Finder = (viewer: Viewer, id: number) => object | undefined;

const finders: Readonly<Record<string, Finder>> = {
  Repository(viewer, id) {
    const repository = viewer.context.store.data.repositories.find((one) => one.id === id);
    return repository && sees(viewer.actor, repository) ? repositoryNode(viewer, repository) : undefined;
  },
  Issue: finder(({ issues }) => issues.filter((one) => !isPull(one)), [readIssues], issueNode),
  PullRequest(viewer, id) {
    const issue = findPull(viewer, id);
    return issue && pullNode(viewer, issue);
  },
  IssueComment: finder(({ comments }) => comments, [readIssues, readPulls], commentNode),
  MergeQueueEntry: finder(({ queue_entries }) => queue_entries, [readPulls], entryNode),
  PullRequestReview: finder(({ reviews }) => reviews, [readPulls], reviewNode),
  PullRequestReviewComment(viewer, id) {
    const { reviews } = viewer.context.store.data;
    const review = reviews.find(({ comments }) => comments.some((one) => one.id === id));
    const comment = review?.comments.find((one) => one.id === id);
    if (!review || !comment || !visible(viewer, review, [readPulls])) return undefined;
    const { user_id } = review;
    const views = [() => reviewCommentPayload(viewer.context, review, comment)];
    return textNode(viewer, 'PullRequestReviewComment', { ...comment, user_id }, views);
  },
};

function finder<Thing extends { id: number; repository_id: number }>(
  thingsIn: (data: Data) => Thing[],
  permissions: Permissions[],
  nodeOf: (viewer: Viewer, thing: Thing) => object,
): Finder {
  return (viewer, id) => {
    const thing = thingsIn(viewer.context.store.data).find((one) => one.id === id);
    return thing && visible(viewer, thing, permissions) ? nodeOf(viewer, thing) : undefined;
  };
}

function findPull(viewer: Viewer, id: number): PullIssue | undefined {
  const issue = viewer.context.store.data.issues.filter(isPull).find(({ pull }) => pull.id === id);
  return issue && visible(viewer, issue, [readPulls]) ? issue : undefined;
}

/** Whether the viewer can see the repository; throws if an App can see it but lacks the permission. */
function visible(
  viewer: Viewer,
  { repository_id }: { repository_id: number },
  permissions: Permissions[],
): boolean {
  const repository = viewer.context.store.repository(repository_id);
  if (!sees(viewer.actor, repository)) return false;
  requireReadAccess(viewer, repository, permissions);
  return true;
}

export function repositoryNamed(viewer: Viewer, owner: string, name: string) {
  const repository = viewer.context.store.repositoryOnceNamed(owner, name);
  if (repository && sees(viewer.actor, repository)) return repositoryNode(viewer, repository);
  const message = `Could not resolve to a Repository with the name '${owner}/${name}'.`;
  throw new ResolverError('NOT_FOUND', message);
}

function repositoryNode(viewer: Viewer, repository: Repository) {
  const { context, actor } = viewer;
  const { store } = context;
  const numbered =
    (what: string, isMeant: (issue: Issue) => boolean) =>
    ({ number }: { number: number }) => {
      const issue = store.issue(repository, number);
      if (!issue || !isMeant(issue)) {
        throw new ResolverError('NOT_FOUND', `Could not resolve to ${what} with the number of ${number}.`);
      }
      requireReadAccess(viewer, repository, [isPull(issue) ? readPulls : readIssues]);
      return threadNode(viewer, issue);
    };
  const labelNode = (label: Label) => ({ views: [() => labelPayload(context, repository, label)] });
  return {
    __typename: 'Repository',
    id: nodeId('Repository', repository.id),
    nameWithOwner: fullName(context, repository),
    views: [() => repositoryDetails(context, repository)],
    defaultBranchRef: refNode(repository, repository.default_branch),
    async ref({ qualifiedName }: { qualifiedName: string }) {
      const name = qualifiedName.replace(/^refs\/heads\//, '');
      const sha = await gitOf(context, repository).ref(`refs/heads/${name}`);
      return sha === undefined ? null : refNode(repository, name);
    },
    viewerPermission: actor.kind === 'user' ? roleOf(actor.account, repository) : null,
    viewerDefaultMergeMethod: 'MERGE',
    issue: numbered('an Issue', (issue) => !isPull(issue)),
    issueOrPullRequest: numbered('an issue or pull request', () => true),
    pullRequest: numbered('a PullRequest', isPull),
    issues(wanted: ListArguments) {
      requireReadAccess(viewer, repository, [readIssues]);
      const issues = store.issues(repository).filter((issue) => !isPull(issue));
      return listOf(viewer, issues, wanted);
    },
    pullRequests(wanted: ListArguments) {
      requireReadAccess(viewer, repository, [readPulls]);
      const { baseRefName, headRefName } = wanted;
      const pulls = store
        .pulls(repository)
        .filter(({ pull }) => !baseRefName || pull.base_ref === baseRefName)
        .filter(({ pull }) => !headRefName || pull.head_ref === headRefName);
      return listOf(viewer, pulls, wanted);
    },
    mergeQueue({ branch }: { branch?: string | null }) {
      requireReadAccess(viewer, repository, [readPulls]);
      return queueNode(viewer, repository, branch ?? repository.default_branch);
    },
    label({ name }: { name: string }) {
      const label = findLabel(repository, name);
      return label ? labelNode(label) : null;
    },
    labels({ query, orderBy, ...page }: PageArguments & Ordered & { query?: string | null }) {
      const labels = repository.labels.filter(({ name }) => name.includes(query ?? ''));
      if (orderBy?.field === 'NAME') labels.sort((a, b) => a.name.localeCompare(b.name));
      if (orderBy?.direction === 'DESC') labels.reverse();
      return connection(labels, page, labelNode);
    },
  };
}

function threadNode(viewer: Viewer, issue: Issue) {
  return isPull(issue) ? pullNode(viewer, issue) : issueNode(viewer, issue);
}

interface IssueFilters {
  states?: string[] | null;
  labels?: string[] | null;
  assignee?: string | null;
  createdBy?: string | null;
  mentioned?: string | null;
}

interface Ordered {
  orderBy?: { field: string; direction: string } | null;
}

interface ListArguments extends PageArguments, Ordered, Pick<IssueFilters, 'states' | 'labels'> {
  filterBy?: IssueFilters | null;
  baseRefName?: string | null;
  headRefName?: string | null;
}

/** Issues or pull requests, oldest first unless the order is given. Nobody is assigned to any. */
function listOf(viewer: Viewer, issues: Issue[], { orderBy, filterBy, ...wanted }: ListArguments) {
  const { context } = viewer;
  const { assignee, createdBy, mentioned, ...filters } = filterBy ?? {};
  const states = filters.states ?? wanted.states;
  const labels = filters.labels ?? wanted.labels ?? [];
  const found = issues
    .filter((issue) => !states || states.some((state) => state === stateOf(issue)))
    .filter((issue) => labels.length === 0 || labels.some((name) => hasLabel(context, issue, name)))
    .filter(({ user_id }) => !createdBy || context.store.account(user_id).login === createdBy)
    .filter(({ body }) => !mentioned || body?.includes(`@${mentioned}`))
    .filter(() => !assignee);
  const sort = orderBy?.field === 'UPDATED_AT' ? 'updated' : 'created';
  const direction = orderBy?.direction.toLowerCase() ?? 'asc';
  const inOrder = sorted(found, new URLSearchParams({ sort, direction }));
  return connection(inOrder, wanted, (issue) => threadNode(viewer, issue));
}

function requireReadAccess({ actor }: Viewer, repository: Repository, permissions: Permissions[]): void {
  try {
    requireAccess(actor, { repository, needs: needs('read', ...permissions) });
  } catch (cause) {
    throw Object.assign(notAccessible(), { cause });
  }
}

/** Only issues and pull requests can be searched for. */
export function search(viewer: Viewer, { query, ...page }: PageArguments & { query: string }) {
  const issues = searched({ ...viewer, query: new URLSearchParams({ q: query }) });
  return { ...connection(issues, page, (issue) => threadNode(viewer, issue)), issueCount: issues.length };
}
