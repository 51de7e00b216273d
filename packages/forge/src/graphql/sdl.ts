const pageArguments = 'after: String, first: Int, last: Int';

/** The fields that all texts with an author have in common. */
const commentFields = `author: Actor
  authorAssociation: CommentAuthorAssociation!
  body: String!
  createdAt: DateTime!
  editor: Actor
  id: ID!
  includesCreatedEdit: Boolean!
  lastEditedAt: DateTime
  updatedAt: DateTime!
  userContentEdits(${pageArguments}): UserContentEditConnection
  viewerDidAuthor: Boolean!`;

const textFields = `${commentFields}
  reactionGroups: [ReactionGroup!]
  url: URI!`;

/** Those that issues and pull requests have in common. */
const threadFields = `${textFields}
  activeLockReason: LockReason
  assignees(${pageArguments}): UserConnection!
  closed: Boolean!
  closedAt: DateTime
  comments(${pageArguments}): IssueCommentConnection!
  labels(${pageArguments}): LabelConnection
  locked: Boolean!
  milestone: Milestone
  number: Int!
  projectCards(${pageArguments}): ProjectCardConnection!
  projectItems(${pageArguments}): ProjectV2ItemConnection!
  title: String!`;

const actorFields = `databaseId: Int
  id: ID!
  login: String!
  url: URI!`;

const onPull = ['pullRequestId: ID!', 'pullRequest: PullRequest'] as const;
const onIssue = ['issueId: ID!', 'issue: Issue'] as const;
const merging = 'commitBody: String, commitHeadline: String, expectedHeadOid: GitObjectID';
const people = 'assigneeIds: [ID!], labelIds: [ID!], milestoneId: ID, projectIds: [ID!]';
const words = `title: String, body: String, ${people}`;

const requirable = 'isRequired(pullRequestId: ID, pullRequestNumber: Int): Boolean!';

/** What there are pages of. */
const listed = [
  ...['GitActor', 'Issue', 'IssueComment', 'IssueTimelineItems', 'Label', 'ProjectCard'],
  ...[
    'MergeQueueEntry',
    'ProjectV2Item',
    'PullRequest',
    'PullRequestChangedFile',
    'PullRequestCommit',
    'PullRequestReview',
  ],
  ...['PullRequestTimelineItems', 'ReviewRequest', 'User', 'UserContentEdit'],
];

/** The inputs and the results of each mutation. */
const mutations: Record<string, readonly [inputs: string, results: string]> = {
  addComment: ['body: String!, subjectId: ID!', 'commentEdge: IssueCommentEdge, subject: Node'],
  addLabelsToLabelable: ['labelIds: [ID!]!, labelableId: ID!', 'labelable: Labelable'],
  addPullRequestReview: [
    `${onPull[0]}, body: String, commitOID: GitObjectID, event: PullRequestReviewEvent`,
    'pullRequestReview: PullRequestReview',
  ],
  closeIssue: [`${onIssue[0]}, stateReason: IssueClosedStateReason`, onIssue[1]],
  closePullRequest: onPull,
  convertPullRequestToDraft: onPull,
  createIssue: [`repositoryId: ID!, title: String!, body: String, ${people}`, onIssue[1]],
  createPullRequest: [
    `repositoryId: ID!, title: String!, body: String, draft: Boolean = false, baseRefName: String!,
    headRefName: String!, maintainerCanModify: Boolean = true`,
    onPull[1],
  ],
  dequeuePullRequest: ['id: ID!', 'mergeQueueEntry: MergeQueueEntry'],
  disablePullRequestAutoMerge: onPull,
  enablePullRequestAutoMerge: [
    `${onPull[0]}, ${merging}, mergeMethod: PullRequestMergeMethod = MERGE`,
    onPull[1],
  ],
  enqueuePullRequest: [
    `${onPull[0]}, expectedHeadOid: GitObjectID, jump: Boolean`,
    'mergeQueueEntry: MergeQueueEntry',
  ],
  lockLockable: ['lockableId: ID!, lockReason: LockReason', 'lockedRecord: Lockable'],
  markPullRequestReadyForReview: onPull,
  mergePullRequest: [
    `${onPull[0]}, ${merging}, mergeMethod: PullRequestMergeMethod = MERGE`,
    `actor: Actor, ${onPull[1]}`,
  ],
  removeLabelsFromLabelable: ['labelIds: [ID!]!, labelableId: ID!', 'labelable: Labelable'],
  reopenIssue: onIssue,
  reopenPullRequest: onPull,
  unlockLockable: ['lockableId: ID!', 'unlockedRecord: Lockable'],
  updateIssue: [`id: ID!, ${words}, state: IssueState`, onIssue[1]],
  updateIssueComment: ['id: ID!, body: String!', 'issueComment: IssueComment'],
  updatePullRequest: [
    `${onPull[0]}, ${words}, baseRefName: String, state: PullRequestUpdateState`,
    onPull[1],
  ],
};

/**
 * The part of GitHub's public schema that the forge supports. Names, nullability, arguments and defaults are
 * GitHub's; for a client, a field that is not listed here does not exist.
 */
export const sdl = `
type Query {
  node(id: ID!): Node
  nodes(ids: [ID!]!): [Node]!
  repository(name: String!, owner: String!): Repository
  search(${pageArguments}, query: String!, type: SearchType!): SearchResultItemConnection!
  viewer: User!
}

type Mutation {
  ${Object.keys(mutations).map(mutation).join('\n  ')}
}

${Object.entries(mutations).map(mutationTypes).join('\n')}

scalar BigInt
scalar DateTime
scalar GitObjectID
scalar GitSSHRemote
scalar URI

interface Node {
  id: ID!
}

interface Actor {
  login: String!
  url: URI!
}

interface RepositoryOwner {
  id: ID!
  login: String!
  url: URI!
}

interface Labelable {
  labels(${pageArguments}): LabelConnection
}

interface Lockable {
  activeLockReason: LockReason
  locked: Boolean!
}

interface Comment {
  ${commentFields}
}

type User implements Actor & Node & RepositoryOwner {
  ${actorFields}
  name: String
}

type Organization implements Actor & Node & RepositoryOwner {
  ${actorFields}
  name: String
}

type Team {
  name: String!
  organization: Organization!
  slug: String!
}

type Bot implements Actor & Node {
  ${actorFields}
}

type Repository implements Node {
  createdAt: DateTime!
  defaultBranchRef: Ref
  description: String
  hasIssuesEnabled: Boolean!
  hasWikiEnabled: Boolean!
  id: ID!
  isArchived: Boolean!
  isFork: Boolean!
  isPrivate: Boolean!
  issue(number: Int!): Issue
  issueOrPullRequest(number: Int!): IssueOrPullRequest
  issues(
    ${pageArguments}, filterBy: IssueFilters, labels: [String!], orderBy: IssueOrder, states: [IssueState!]
  ): IssueConnection!
  label(name: String!): Label
  labels(
    ${pageArguments}, orderBy: LabelOrder = {field: CREATED_AT, direction: ASC}, query: String
  ): LabelConnection
  mergeCommitAllowed: Boolean!
  mergeQueue(branch: String): MergeQueue
  name: String!
  nameWithOwner: String!
  owner: RepositoryOwner!
  parent: Repository
  pullRequest(number: Int!): PullRequest
  pullRequests(
    ${pageArguments}, baseRefName: String, headRefName: String, labels: [String!], orderBy: IssueOrder,
    states: [PullRequestState!]
  ): PullRequestConnection!
  pushedAt: DateTime
  rebaseMergeAllowed: Boolean!
  ref(qualifiedName: String!): Ref
  squashMergeAllowed: Boolean!
  sshUrl: GitSSHRemote!
  updatedAt: DateTime!
  url: URI!
  viewerDefaultMergeMethod: PullRequestMergeMethod!
  viewerPermission: RepositoryPermission
  visibility: RepositoryVisibility!
}

type Ref {
  branchProtectionRule: BranchProtectionRule
  name: String!
  refUpdateRule: RefUpdateRule
}

type RefUpdateRule {
  requiresSignatures: Boolean!
}

type BranchProtectionRule {
  requiresStrictStatusChecks: Boolean!
}

type Issue implements Comment & Labelable & Lockable & Node {
  ${threadFields}
  isPinned: Boolean
  state: IssueState!
  stateReason(enableDuplicate: Boolean = false): IssueStateReason
  ${timelineOf('Issue')}
}

type PullRequest implements Comment & Labelable & Lockable & Node {
  ${threadFields}
  fullDatabaseId: BigInt
  potentialMergeCommit: Commit
  additions: Int!
  autoMergeRequest: AutoMergeRequest
  baseRef: Ref
  baseRefName: String!
  baseRefOid: GitObjectID!
  changedFiles: Int!
  closingIssuesReferences(${pageArguments}): IssueConnection
  commits(${pageArguments}): PullRequestCommitConnection!
  deletions: Int!
  files(${pageArguments}): PullRequestChangedFileConnection
  headRefName: String!
  headRefOid: GitObjectID!
  headRepository: Repository
  headRepositoryOwner: RepositoryOwner
  isCrossRepository: Boolean!
  isDraft: Boolean!
  isInMergeQueue: Boolean!
  isMergeQueueEnabled: Boolean!
  reviewDecision: PullRequestReviewDecision
  latestReviews(${pageArguments}): PullRequestReviewConnection
  maintainerCanModify: Boolean!
  mergeCommit: Commit
  mergeQueue: MergeQueue
  mergeQueueEntry: MergeQueueEntry
  mergeStateStatus: MergeStateStatus!
  mergeable: MergeableState!
  merged: Boolean!
  mergedAt: DateTime
  mergedBy: Actor
  reviewRequests(${pageArguments}): ReviewRequestConnection
  reviews(${pageArguments}, author: String, states: [PullRequestReviewState!]): PullRequestReviewConnection
  state: PullRequestState!
  statusCheckRollup: StatusCheckRollup
  ${timelineOf('PullRequest')}
}

type IssueComment implements Comment & Node {
  ${textFields}
  isMinimized: Boolean!
  minimizedReason: String
}

type PullRequestReview implements Comment & Node {
  ${textFields}
  commit: Commit
  state: PullRequestReviewState!
  submittedAt: DateTime
}

type PullRequestReviewComment implements Comment & Node {
  ${textFields}
}

type AutoMergeRequest {
  authorEmail: String
  commitBody: String
  commitHeadline: String
  enabledAt: DateTime
  enabledBy: Actor
  mergeMethod: PullRequestMergeMethod!
}

type MergeQueue {
  configuration: MergeQueueConfiguration
  entries(${pageArguments}): MergeQueueEntryConnection
  id: ID!
  url: URI!
}

type MergeQueueConfiguration {
  checkResponseTimeout: Int
  maximumEntriesToBuild: Int
  maximumEntriesToMerge: Int
  mergeMethod: PullRequestMergeMethod
  mergingStrategy: MergeQueueMergingStrategy
  minimumEntriesToMerge: Int
  minimumEntriesToMergeWaitTime: Int
}

type MergeQueueEntry implements Node {
  baseCommit: Commit
  enqueuedAt: DateTime!
  enqueuer: Actor!
  headCommit: Commit
  id: ID!
  jump: Boolean!
  mergeQueue: MergeQueue
  position: Int!
  pullRequest: PullRequest
  solo: Boolean!
  state: MergeQueueEntryState!
}

type CheckRun implements Node {
  checkSuite: CheckSuite!
  completedAt: DateTime
  conclusion: CheckConclusionState
  detailsUrl: URI
  id: ID!
  ${requirable}
  name: String!
  startedAt: DateTime
  status: CheckStatusState!
  url: URI!
}

type StatusContext implements Node {
  context: String!
  createdAt: DateTime!
  description: String
  id: ID!
  ${requirable}
  state: StatusState!
  targetUrl: URI
}

type CheckSuite implements Node {
  id: ID!
  workflowRun: WorkflowRun
}

type WorkflowRun {
  event: String!
  workflow: Workflow!
}

type StatusCheckRollup {
  contexts(${pageArguments}): StatusCheckRollupContextConnection!
  state: StatusState!
}

type SearchResultItemConnection {
  issueCount: Int!
  ${pageOf('SearchResultItem')}
}

type StatusCheckRollupContextConnection {
  checkRunCount: Int!
  checkRunCountsByState: [CheckRunStateCount!]
  ${pageOf('StatusCheckRollupContext')}
  statusContextCount: Int!
  statusContextCountsByState: [StatusContextStateCount!]
  totalCount: Int!
}

${['SearchResultItem', 'StatusCheckRollupContext'].map(edgeOf).join('\n')}

type CheckRunStateCount { count: Int!, state: CheckRunState! }
type GitActor { email: String, name: String, user: User }
type Label implements Node { color: String!, description: String, id: ID!, name: String!, url: URI! }
type Milestone { description: String, dueOn: DateTime, number: Int!, title: String! }
type Project { name: String! }
type ProjectCard { column: ProjectColumn, project: Project! }
type ProjectColumn { name: String! }
type ProjectV2 { id: ID!, title: String! }
type ProjectV2Item { fieldValueByName(name: String!): ProjectV2ItemFieldValue, id: ID!, project: ProjectV2! }
type ProjectV2ItemFieldSingleSelectValue { name: String, optionId: String }
type PullRequestChangedFile { additions: Int!, deletions: Int!, path: String! }
type PullRequestCommit { commit: Commit! }
type ReactingUserConnection { totalCount: Int! }
type ReactionGroup { content: ReactionContent!, users(${pageArguments}): ReactingUserConnection! }
type ReviewRequest { requestedReviewer: RequestedReviewer }
type StatusContextStateCount { count: Int!, state: StatusState! }
type Workflow { name: String! }

union IssueOrPullRequest = Issue | PullRequest
union ProjectV2ItemFieldValue = ProjectV2ItemFieldSingleSelectValue
union RequestedReviewer = Bot | Team | User
union SearchResultItem = Issue | PullRequest
union StatusCheckRollupContext = CheckRun | StatusContext

input IssueFilters {
  assignee: String
  createdBy: String
  labels: [String!]
  mentioned: String
  states: [IssueState!]
}
input IssueOrder { direction: OrderDirection!, field: IssueOrderField! }
input LabelOrder { direction: OrderDirection!, field: LabelOrderField! }

type UserContentEdit {
  diff: String
  editedAt: DateTime!
  editor: Actor
}

${listed.map(connectionOf).join('')}

type PageInfo {
  endCursor: String
  hasNextPage: Boolean!
  hasPreviousPage: Boolean!
}

union IssueTimelineItems = ClosedEvent | CommentDeletedEvent | RenamedTitleEvent

union PullRequestTimelineItems =
  AddedToMergeQueueEvent
  | AutomaticBaseChangeSucceededEvent
  | BaseRefChangedEvent
  | ClosedEvent
  | CommentDeletedEvent
  | RemovedFromMergeQueueEvent
  | RenamedTitleEvent

type AddedToMergeQueueEvent {
  actor: Actor
  createdAt: DateTime!
}

type RemovedFromMergeQueueEvent {
  actor: Actor
  beforeCommit: Commit
  createdAt: DateTime!
  reason: String
}

type AutomaticBaseChangeSucceededEvent {
  actor: Actor
  createdAt: DateTime!
  newBase: String!
}

type BaseRefChangedEvent {
  actor: Actor
  createdAt: DateTime!
  currentRefName: String!
}

type ClosedEvent {
  actor: Actor
  closer: Closer
  createdAt: DateTime!
}

union Closer = Commit | PullRequest

type Commit implements Node {
  authoredDate: DateTime!
  authors(${pageArguments}): GitActorConnection!
  committedDate: DateTime!
  id: ID!
  messageBody: String!
  messageHeadline: String!
  oid: GitObjectID!
  statusCheckRollup: StatusCheckRollup
}

type CommentDeletedEvent {
  actor: Actor
  createdAt: DateTime!
  deletedCommentAuthor: Actor
}

type RenamedTitleEvent {
  actor: Actor
  createdAt: DateTime!
}

enum IssueTimelineItemsItemType { CLOSED_EVENT COMMENT_DELETED_EVENT RENAMED_TITLE_EVENT }
enum PullRequestTimelineItemsItemType {
  ADDED_TO_MERGE_QUEUE_EVENT AUTOMATIC_BASE_CHANGE_SUCCEEDED_EVENT BASE_REF_CHANGED_EVENT CLOSED_EVENT
  COMMENT_DELETED_EVENT REMOVED_FROM_MERGE_QUEUE_EVENT RENAMED_TITLE_EVENT
}
enum MergeQueueEntryState { AWAITING_CHECKS LOCKED MERGEABLE QUEUED UNMERGEABLE }
enum MergeQueueMergingStrategy { ALLGREEN HEADGREEN }
enum PullRequestMergeMethod { MERGE REBASE SQUASH }
enum CheckConclusionState {
  ACTION_REQUIRED CANCELLED FAILURE NEUTRAL SKIPPED STALE STARTUP_FAILURE SUCCESS TIMED_OUT
}
enum CheckRunState {
  ACTION_REQUIRED CANCELLED COMPLETED FAILURE IN_PROGRESS NEUTRAL PENDING QUEUED SKIPPED STALE STARTUP_FAILURE
  SUCCESS TIMED_OUT WAITING
}
enum CheckStatusState { COMPLETED IN_PROGRESS PENDING QUEUED REQUESTED WAITING }
enum CommentAuthorAssociation { COLLABORATOR CONTRIBUTOR MEMBER NONE OWNER }
enum IssueClosedStateReason { COMPLETED DUPLICATE NOT_PLANNED }
enum IssueOrderField { COMMENTS CREATED_AT UPDATED_AT }
enum IssueState { CLOSED OPEN }
enum IssueStateReason { COMPLETED DUPLICATE NOT_PLANNED REOPENED }
enum LabelOrderField { CREATED_AT NAME }
enum LockReason { OFF_TOPIC RESOLVED SPAM TOO_HEATED }
enum MergeStateStatus { BEHIND BLOCKED CLEAN DIRTY DRAFT HAS_HOOKS UNKNOWN UNSTABLE }
enum MergeableState { CONFLICTING MERGEABLE UNKNOWN }
enum OrderDirection { ASC DESC }
enum PullRequestReviewDecision { APPROVED CHANGES_REQUESTED REVIEW_REQUIRED }
enum PullRequestReviewEvent { APPROVE COMMENT DISMISS REQUEST_CHANGES }
enum PullRequestReviewState { APPROVED CHANGES_REQUESTED COMMENTED DISMISSED PENDING }
enum PullRequestState { CLOSED MERGED OPEN }
enum PullRequestUpdateState { CLOSED OPEN }
enum ReactionContent { CONFUSED EYES HEART HOORAY LAUGH ROCKET THUMBS_DOWN THUMBS_UP }
enum RepositoryPermission { ADMIN MAINTAIN READ TRIAGE WRITE }
enum RepositoryVisibility { INTERNAL PRIVATE PUBLIC }
enum SearchType { ISSUE }
enum StatusState { ERROR EXPECTED FAILURE PENDING SUCCESS }
`;

function mutation(name: string): string {
  const type = typeOf(name);
  return `${name}(input: ${type}Input!): ${type}Payload`;
}

function typeOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function mutationTypes([name, [inputs, results]]: [string, readonly [string, string]]): string {
  return `
input ${typeOf(name)}Input {
  clientMutationId: String
  ${inputs}
}

type ${typeOf(name)}Payload {
  clientMutationId: String
  ${results}
}
`;
}

function timelineOf(type: string): string {
  const items = `${type}TimelineItems`;
  const wanted = `itemTypes: [${items}ItemType!], since: DateTime`;
  return `timelineItems(${pageArguments}, ${wanted}): ${items}Connection!`;
}

function connectionOf(type: string): string {
  return `
type ${type}Connection {
  ${pageOf(type)}
  totalCount: Int!
}

${edgeOf(type)}
`;
}

function pageOf(type: string): string {
  return `edges: [${type}Edge]
  nodes: [${type}]
  pageInfo: PageInfo!`;
}

function edgeOf(type: string): string {
  return `type ${type}Edge { cursor: String!, node: ${type} }`;
}
