import { type Context, fullName } from '../context.ts';
import type { Account, Edit, Issue, IssueEvent, Permissions, PullIssue, Repository } from '../model.ts';
import { issueEventsOf } from '../operations/issue-events.ts';
import { nodeId, nodeIdParts } from '../payloads/links.ts';
import { atLeast, needs, requireAccess, roleOf, sees } from '../permissions.ts';
import { isPull } from '../store.ts';
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

type Finder = (viewer: Viewer, id: number) => object | undefined;

const finders: Readonly<Record<string, Finder>> = {
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
    return readable ? textNode(viewer.context, 'IssueComment', comment) : undefined;
  },
  PullRequestReview(viewer, id) {
    const review = viewer.context.store.data.reviews.find((one) => one.id === id);
    const readable = review && visible(viewer, review, [readPulls]);
    return readable ? textNode(viewer.context, 'PullRequestReview', review) : undefined;
  },
  PullRequestReviewComment(viewer, id) {
    const { reviews } = viewer.context.store.data;
    const review = reviews.find(({ comments }) => comments.some((one) => one.id === id));
    const comment = review?.comments.find((one) => one.id === id);
    if (!review || !comment || !visible(viewer, review, [readPulls])) return undefined;
    const { user_id } = review;
    return textNode(viewer.context, 'PullRequestReviewComment', { ...comment, user_id });
  },
};

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

/** The permissions that let an App read issues and pull requests. */
const readIssues: Permissions = { issues: 'read' };
const readPulls: Permissions = { pull_requests: 'read' };

export function repositoryNamed(viewer: Viewer, owner: string, name: string) {
  const repository = viewer.context.store.repositoryNamed(owner, name);
  if (repository && sees(viewer.actor, repository)) return repositoryNode(viewer, repository);
  const message = `Could not resolve to a Repository with the name '${owner}/${name}'.`;
  throw new ResolverError('NOT_FOUND', message);
}

function repositoryNode(viewer: Viewer, repository: Repository) {
  const { store } = viewer.context;
  return {
    __typename: 'Repository',
    id: nodeId('Repository', repository.id),
    nameWithOwner: fullName(viewer.context, repository),
    issue({ number }: { number: number }) {
      const issue = store.issue(repository, number);
      if (!issue || issue.pull) throw numberNotFound('an Issue', number);
      requireReadAccess(viewer, repository, [readIssues]);
      return issueNode(viewer, issue);
    },
    pullRequest({ number }: { number: number }) {
      const issue = store.issue(repository, number);
      if (!issue || !isPull(issue)) throw numberNotFound('a PullRequest', number);
      requireReadAccess(viewer, repository, [readPulls]);
      return pullNode(viewer, issue);
    },
  };
}

function requireReadAccess({ actor }: Viewer, repository: Repository, permissions: Permissions[]): void {
  try {
    requireAccess(actor, { repository, needs: needs('read', ...permissions) });
  } catch (cause) {
    throw Object.assign(notAccessible(), { cause });
  }
}

function numberNotFound(what: string, number: number): ResolverError {
  return new ResolverError('NOT_FOUND', `Could not resolve to ${what} with the number of ${number}.`);
}

function issueNode(viewer: Viewer, issue: Issue) {
  return {
    ...textNode(viewer.context, 'Issue', issue),
    title: issue.title,
    timelineItems: (wanted: TimelineArguments) => timeline(viewer, issue, wanted),
  };
}

export function pullNode(viewer: Viewer, issue: PullIssue) {
  return {
    ...issueNode(viewer, issue),
    ...textNode(viewer.context, 'PullRequest', { ...issue, id: issue.pull.id }),
    number: issue.number,
    isDraft: issue.pull.draft,
    merged: issue.pull.merged_at !== null,
    mergeCommit: issue.pull.merged_at === null ? null : commitNode(issue.pull.merge_commit_sha),
  };
}

function commitNode(oid: string | null) {
  return oid === null ? null : { __typename: 'Commit', id: nodeId('Commit', oid), oid };
}

/** The merged pull request that closed an issue; null if somebody closed it. */
function closerNode(viewer: Viewer, { repository_id }: Issue, number: number | undefined) {
  const { store } = viewer.context;
  const pull = number === undefined ? undefined : store.issue(store.repository(repository_id), number);
  return pull && isPull(pull) ? pullNode(viewer, pull) : null;
}

interface Text {
  id: number;
  user_id: number;
  body: string | null;
  edits: Edit[];
  created_at: string;
}

/** The fields of GitHub's interface `Comment`: a text, its author, and its edits. */
function textNode(context: Context, __typename: string, { id, user_id, body, edits, created_at }: Text) {
  const newest = edits.at(-1);
  // Newest first; the original version is the last.
  const history = edits.toReversed().map((edit) => ({
    // Despite its name, the whole text after the edit.
    diff: edit.body,
    editedAt: edit.edited_at,
    editor: actorNode(context, edit.editor_id),
  }));
  return {
    __typename,
    id: nodeId(__typename, id),
    author: actorNode(context, user_id),
    body: body ?? '',
    createdAt: created_at,
    editor: newest ? actorNode(context, newest.editor_id) : null,
    lastEditedAt: newest?.edited_at ?? null,
    userContentEdits: (page: PageArguments) => connection('userContentEdits', history, page),
  };
}

/** As an actor, a bot's login has no `[bot]` suffix, unlike in REST and webhooks. */
function actorNode({ store }: Context, account_id: number) {
  const account = store.account(account_id);
  return { ...viewerNode(account), __typename: account.type, login: account.login.replace(/\[bot\]$/, '') };
}

/** The viewer is always a `User`, and a bot's login keeps its `[bot]` suffix here. */
export function viewerNode({ id, type, login }: Account) {
  return { __typename: 'User', id: nodeId(type, id), databaseId: id, login };
}

interface TimelineArguments extends PageArguments {
  itemTypes?: string[] | null;
  since?: string | null;
}

/** The items of the timeline of an issue or a pull request, oldest first. */
function timeline(viewer: Viewer, issue: Issue, { itemTypes, since, ...page }: TimelineArguments) {
  const nodes = issueEventsOf(viewer.context, issue)
    .filter(({ created_at }) => !since || Date.parse(created_at) >= Date.parse(since))
    .flatMap((event) => itemOf(viewer, issue, event) ?? [])
    .filter(({ __typename }) => !itemTypes || itemTypes.includes(itemType(__typename)));
  return connection('timelineItems', nodes, page);
}

/** `BaseRefChangedEvent` is `BASE_REF_CHANGED_EVENT`. */
function itemType(typename: string): string {
  return typename.replace(/\B[A-Z]/g, '_$&').toUpperCase();
}

/** Undefined for types that the forge's schema does not have. */
function itemOf(viewer: Viewer, issue: Issue, event: IssueEvent) {
  const { context, actor } = viewer;
  const { repository_id } = issue;
  const common = { actor: actorNode(context, event.actor_id), createdAt: event.created_at };
  switch (event.event) {
    case 'renamed':
      return { __typename: 'RenamedTitleEvent', ...common };
    case 'base_ref_changed':
      return { __typename: 'BaseRefChangedEvent', ...common, currentRefName: event.current };
    case 'closed':
      return { __typename: 'ClosedEvent', ...common, closer: closerNode(viewer, issue, event.closer) };
    case 'comment_deleted': {
      const { account } = actor.kind === 'user' ? actor : {};
      // Who deleted a comment is shown only to people who may write.
      const isShown = !account || atLeast(roleOf(account, context.store.repository(repository_id)), 'write');
      const deletedCommentAuthor = actorNode(context, event.author_id);
      const shown = { ...common, actor: isShown ? common.actor : null };
      return { __typename: 'CommentDeletedEvent', ...shown, deletedCommentAuthor };
    }
    default:
      return undefined;
  }
}

interface PageArguments {
  first?: number | null;
  last?: number | null;
  after?: string | null;
}

const most = 100;

/** One page of a list; GitHub requires `first` or `last`. */
function connection<Item>(field: string, items: Item[], page: PageArguments) {
  requirePageSize(field, page);
  const start = page.after ? Number(page.after) : 0;
  const to = Math.min(items.length, start + (page.first ?? items.length));
  const from = Math.max(start, to - (page.last ?? items.length));
  return {
    nodes: items.slice(from, to),
    pageInfo: {
      endCursor: to > from ? String(to) : null,
      hasPreviousPage: from > 0,
      hasNextPage: to < items.length,
    },
  };
}

function requirePageSize(field: string, { first, last }: PageArguments): void {
  const requested = first ?? last;
  if (requested === null || requested === undefined) {
    const message = `You must provide a \`first\` or \`last\` value to properly paginate the \`${field}\` connection.`;
    throw new ResolverError('MISSING_PAGINATION_BOUNDARIES', message);
  }
  if (requested <= most) return;
  const name = first === requested ? 'first' : 'last';
  const message = `Requesting ${requested} records on the \`${field}\` connection exceeds the \`${name}\` limit of 100 records.`;
  throw new ResolverError('EXCESSIVE_PAGINATION', message);
}
