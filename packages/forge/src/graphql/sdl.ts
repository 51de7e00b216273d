const pageArguments = 'after: String, first: Int, last: Int';

/** The fields that all texts with an author have in common. */
const commentFields = `author: Actor
  body: String!
  createdAt: DateTime!
  editor: Actor
  id: ID!
  lastEditedAt: DateTime
  userContentEdits(${pageArguments}): UserContentEditConnection`;

const actorFields = `databaseId: Int
  id: ID!
  login: String!`;

/**
 * The part of GitHub's public schema that the forge supports. Names, nullability, arguments and defaults are
 * GitHub's; for a client, a field that is not listed here does not exist.
 */
export const sdl = `
type Query {
  node(id: ID!): Node
  nodes(ids: [ID!]!): [Node]!
  repository(name: String!, owner: String!): Repository
  viewer: User!
}

type Mutation {
  ${mutation('convertPullRequestToDraft')}
  ${mutation('disablePullRequestAutoMerge')}
  ${mutation('enablePullRequestAutoMerge')}
  ${mutation('markPullRequestReadyForReview')}
}

${onPull('ConvertPullRequestToDraft')}
${onPull('DisablePullRequestAutoMerge')}
${onPull(
  'EnablePullRequestAutoMerge',
  `commitBody: String
  commitHeadline: String
  expectedHeadOid: GitObjectID
  mergeMethod: PullRequestMergeMethod = MERGE`,
)}
${onPull('MarkPullRequestReadyForReview')}

scalar DateTime
scalar GitObjectID

interface Node {
  id: ID!
}

interface Actor {
  login: String!
}

interface Comment {
  ${commentFields}
}

type User implements Actor & Node {
  ${actorFields}
}

type Bot implements Actor & Node {
  ${actorFields}
}

type Repository implements Node {
  id: ID!
  issue(number: Int!): Issue
  nameWithOwner: String!
  pullRequest(number: Int!): PullRequest
}

type Issue implements Comment & Node {
  ${commentFields}
  ${timelineOf('Issue')}
  title: String!
}

type PullRequest implements Comment & Node {
  ${commentFields}
  isDraft: Boolean!
  mergeCommit: Commit
  merged: Boolean!
  number: Int!
  ${timelineOf('PullRequest')}
  title: String!
}

type IssueComment implements Comment & Node {
  ${commentFields}
}

type PullRequestReview implements Comment & Node {
  ${commentFields}
}

type PullRequestReviewComment implements Comment & Node {
  ${commentFields}
}

type UserContentEdit {
  diff: String
  editedAt: DateTime!
  editor: Actor
}

${connectionOf('UserContentEdit')}
${connectionOf('IssueTimelineItems')}
${connectionOf('PullRequestTimelineItems')}

type PageInfo {
  endCursor: String
  hasNextPage: Boolean!
  hasPreviousPage: Boolean!
}

union IssueTimelineItems = ClosedEvent | CommentDeletedEvent | RenamedTitleEvent

union PullRequestTimelineItems =
  AutomaticBaseChangeSucceededEvent
  | BaseRefChangedEvent
  | ClosedEvent
  | CommentDeletedEvent
  | RenamedTitleEvent

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
  id: ID!
  oid: GitObjectID!
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
  AUTOMATIC_BASE_CHANGE_SUCCEEDED_EVENT BASE_REF_CHANGED_EVENT CLOSED_EVENT COMMENT_DELETED_EVENT
  RENAMED_TITLE_EVENT
}
enum PullRequestMergeMethod { MERGE REBASE SQUASH }
`;

function mutation(name: string): string {
  const type = name.charAt(0).toUpperCase() + name.slice(1);
  return `${name}(input: ${type}Input!): ${type}Payload`;
}

/** The input and the answer of a mutation of a pull request. */
function onPull(type: string, inputs = ''): string {
  return `
input ${type}Input {
  clientMutationId: String
  pullRequestId: ID!
  ${inputs}
}

type ${type}Payload {
  clientMutationId: String
  pullRequest: PullRequest
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
  nodes: [${type}]
  pageInfo: PageInfo!
}
`;
}
