import { gitOf } from '../context.ts';
import { commitsBetween, listChanges } from '../git/commits.ts';
import type { Comment, Edit, Issue, IssueEvent, PullIssue, Reaction, Review } from '../model.ts';
import { issueEventsOf } from '../operations/issue-events.ts';
import { forkPoint, pullDetails } from '../operations/pull-details.ts';
import { closedByMerge } from '../operations/pulls.ts';
import { commentPayload, commentsOf, issuePayload, reactionContents } from '../payloads/issues.ts';
import { nodeId } from '../payloads/links.ts';
import { pullSummary, reviewPayload, reviewsOf } from '../payloads/pulls.ts';
import { atLeast, roleOf } from '../permissions.ts';
import { reviewDecision } from '../rules/merging.ts';
import { entryOf, queueRuleOn } from '../rules/queue.ts';
import { isPull } from '../store.ts';
import { commitNode, refNode, rollupNode } from './commits.ts';
import { actorNode, connection, enumWord, type PageArguments, type Viewed } from './fields.ts';
import { entryNode, queueNode } from './queue.ts';
import { accountOf, type Viewer } from './viewer.ts';

export function issueNode(viewer: Viewer, issue: Issue) {
  const { context } = viewer;
  return {
    ...textNode(viewer, 'Issue', issue, [() => issuePayload(context, issue)]),
    closed: issue.state === 'closed',
    isPinned: false,
    comments: (page: PageArguments) =>
      connection(commentsOf(context, issue), page, (comment) => commentNode(viewer, comment)),
    timelineItems: (wanted: TimelineArguments) => timeline(viewer, issue, wanted),
  };
}

export function pullNode(viewer: Viewer, issue: PullIssue) {
  const { context } = viewer;
  const repository = context.store.repository(issue.repository_id);
  const { id, base_sha, head_sha, merged_at, merge_commit_sha } = issue.pull;
  // What needs Git is asked for only once.
  let details: ReturnType<typeof pullDetails> | undefined;
  const detailed = () => (details ??= pullDetails(context, issue));
  const views = [() => pullSummary(context, issue), detailed];
  return {
    ...issueNode(viewer, issue),
    ...textNode(viewer, 'PullRequest', { ...issue, id }, views),
    state: stateOf(issue),
    merged: merged_at !== null,
    mergeCommit: merged_at && merge_commit_sha && commitNode(viewer, repository, merge_commit_sha),
    mergeable: async () => mergeableWords[String((await detailed())['mergeable'])],
    baseRef: refNode(repository, issue.pull.base_ref),
    closingIssuesReferences: (page: PageArguments) =>
      connection(closedByMerge(context, issue), page, (closed) => issueNode(viewer, closed)),
    isCrossRepository: false,
    isInMergeQueue: () => entryOf(context, issue) !== undefined,
    isMergeQueueEnabled: () => queueRuleOn(context, repository, issue.pull.base_ref) !== undefined,
    mergeQueue: () => queueNode(viewer, repository, issue.pull.base_ref),
    mergeQueueEntry() {
      const entry = entryOf(context, issue);
      return entry ? entryNode(viewer, entry) : null;
    },
    statusCheckRollup: () => rollupNode(viewer, { repository, sha: head_sha }),
    async commits(page: PageArguments) {
      const commits = await commitsBetween(gitOf(context, repository), base_sha, head_sha);
      return connection(commits, page, ({ sha }) => ({ commit: commitNode(viewer, repository, sha) }));
    },
    async files(page: PageArguments) {
      const changes = await listChanges(
        gitOf(context, repository),
        await forkPoint(context, issue),
        head_sha,
      );
      return connection(changes, page, (change) => ({ views: [() => change] }));
    },
    reviewDecision: () => reviewDecision(context, issue),
    reviews: ({ author, states, ...page }: ReviewArguments) =>
      connection(
        seenReviews(viewer, issue)
          .filter((review) => !author || review.author.login === author)
          .filter((review) => !states || states.includes(review.state)),
        page,
      ),
    // The newest of each person.
    latestReviews(page: PageArguments) {
      const reviews = seenReviews(viewer, issue).map((review) => [review.author.id, review] as const);
      return connection([...new Map(reviews).values()], page);
    },
    reviewRequests: (page: PageArguments) => connection(reviewRequests(viewer, issue), page),
  };
}

interface ReviewArguments extends PageArguments {
  author?: string | null;
  states?: string[] | null;
}

const mergeableWords: Record<string, string> = { true: 'MERGEABLE', false: 'CONFLICTING', null: 'UNKNOWN' };

/** As GitHub's enums of states have it. */
export function stateOf({ state, pull }: Issue): unknown {
  return pull?.merged_at ? 'MERGED' : enumWord(state);
}

/** Only its author sees a pending review. */
function seenReviews(viewer: Viewer, issue: PullIssue) {
  return reviewsOf(viewer.context, issue)
    .filter(({ state, user_id }) => state !== 'PENDING' || user_id === accountOf(viewer).id)
    .map((review) => reviewNode(viewer, review));
}

function reviewRequests({ context }: Viewer, { pull }: PullIssue) {
  const people = pull.requested_reviewer_ids.map((id) => actorNode(context, id));
  const teams = context.store.data.teams
    .filter(({ id }) => pull.requested_team_ids?.includes(id))
    .map(({ name, slug, organization_id }) => ({
      __typename: 'Team',
      name,
      slug,
      organization: actorNode(context, organization_id),
    }));
  return [...people, ...teams].map((requestedReviewer) => ({ requestedReviewer }));
}

export function commentNode(viewer: Viewer, comment: Comment) {
  return {
    ...textNode(viewer, 'IssueComment', comment, [() => commentPayload(viewer.context, comment)]),
    isMinimized: false,
  };
}

export function reviewNode(viewer: Viewer, review: Review) {
  const repository = viewer.context.store.repository(review.repository_id);
  return {
    ...textNode(viewer, 'PullRequestReview', review, [() => reviewPayload(viewer.context, review)]),
    state: review.state,
    commit: commitNode(viewer, repository, review.commit_id),
  };
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
  updated_at?: string;
  reactions?: Reaction[];
}

/** The fields of GitHub's interface `Comment`: a text, its author, and its edits. */
export function textNode(viewer: Viewer, __typename: string, text: Text, views: Viewed['views']) {
  const { context } = viewer;
  const { id, user_id, body, edits, created_at, reactions = [] } = text;
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
    views,
    id: nodeId(__typename, id),
    author: actorNode(context, user_id),
    body: body ?? '',
    createdAt: created_at,
    editor: newest ? actorNode(context, newest.editor_id) : null,
    includesCreatedEdit: newest !== undefined,
    lastEditedAt: newest?.edited_at ?? null,
    reactionGroups: reactionContents.map((content) => ({
      content: { '+1': 'THUMBS_UP', '-1': 'THUMBS_DOWN' }[content as string] ?? content,
      users: { totalCount: reactions.filter((one) => one.content === content).length },
    })),
    updatedAt: text.updated_at ?? newest?.edited_at ?? created_at,
    userContentEdits: (page: PageArguments) => connection(history, page),
    viewerDidAuthor: () => accountOf(viewer).id === user_id,
  };
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
  return connection(nodes, page);
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
    case 'added_to_merge_queue':
      return { __typename: 'AddedToMergeQueueEvent', ...common };
    case 'removed_from_merge_queue': {
      const beforeCommit = commitNode(viewer, context.store.repository(repository_id), event.before);
      return { __typename: 'RemovedFromMergeQueueEvent', ...common, beforeCommit, reason: event.reason };
    }
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
