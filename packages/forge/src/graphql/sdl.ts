import { timelineTypes } from './sdl-timeline.ts';

const pageArguments = 'after: String, before: String, first: Int, last: Int';

/**
 * The part of GitHub's public schema that the forge supports. Names, nullability, arguments and defaults are
 * GitHub's; for a client, a field that is not listed here does not exist.
 */
export const sdl = `${timelineTypes}

type Mutation {
  convertPullRequestToDraft(input: ConvertPullRequestToDraftInput!): ConvertPullRequestToDraftPayload
  disablePullRequestAutoMerge(input: DisablePullRequestAutoMergeInput!): DisablePullRequestAutoMergePayload
  enablePullRequestAutoMerge(input: EnablePullRequestAutoMergeInput!): EnablePullRequestAutoMergePayload
  markPullRequestReadyForReview(
    input: MarkPullRequestReadyForReviewInput!
  ): MarkPullRequestReadyForReviewPayload
  updatePullRequestReviewComment(
    input: UpdatePullRequestReviewCommentInput!
  ): UpdatePullRequestReviewCommentPayload
}

input ConvertPullRequestToDraftInput {
  clientMutationId: String
  pullRequestId: ID!
}

type ConvertPullRequestToDraftPayload {
  clientMutationId: String
  pullRequest: PullRequest
}

input DisablePullRequestAutoMergeInput {
  clientMutationId: String
  pullRequestId: ID!
}

type DisablePullRequestAutoMergePayload {
  actor: Actor
  clientMutationId: String
  pullRequest: PullRequest
}

input EnablePullRequestAutoMergeInput {
  authorEmail: String
  clientMutationId: String
  commitBody: String
  commitHeadline: String
  expectedHeadOid: GitObjectID
  mergeMethod: PullRequestMergeMethod = MERGE
  pullRequestId: ID!
}

type EnablePullRequestAutoMergePayload {
  actor: Actor
  clientMutationId: String
  pullRequest: PullRequest
}

input MarkPullRequestReadyForReviewInput {
  clientMutationId: String
  pullRequestId: ID!
}

type MarkPullRequestReadyForReviewPayload {
  clientMutationId: String
  pullRequest: PullRequest
}

input UpdatePullRequestReviewCommentInput {
  body: String!
  clientMutationId: String
  pullRequestReviewCommentId: ID!
}

type UpdatePullRequestReviewCommentPayload {
  clientMutationId: String
  pullRequestReviewComment: PullRequestReviewComment
}

enum IssueTimelineItemsItemType {
  RENAMED_TITLE_EVENT
}

union IssueTimelineItems = RenamedTitleEvent

type IssueTimelineItemsConnection {
  edges: [IssueTimelineItemsEdge]
  filteredCount: Int!
  nodes: [IssueTimelineItems]
  pageCount: Int!
  pageInfo: PageInfo!
  totalCount: Int!
  updatedAt: DateTime!
}

type IssueTimelineItemsEdge {
  cursor: String!
  node: IssueTimelineItems
}

type RenamedTitleEvent implements Node {
  actor: Actor
  createdAt: DateTime!
  currentTitle: String!
  id: ID!
  previousTitle: String!
}

scalar BigInt
scalar DateTime
scalar GitObjectID
scalar URI

type Query {
  node(id: ID!): Node
  nodes(ids: [ID!]!): [Node]!
  repository(followRenames: Boolean = true, name: String!, owner: String!): Repository
  viewer: User!
}

interface Node {
  id: ID!
}

interface Actor {
  avatarUrl(size: Int): URI!
  login: String!
  resourcePath: URI!
  url: URI!
}

interface Comment {
  ${commentFields()}
}

type User implements Actor & Node {
  ${accountFields()}
}

type Bot implements Actor & Node {
  ${accountFields()}
}

type Repository implements Node {
  databaseId: Int
  id: ID!
  isPrivate: Boolean!
  issue(number: Int!): Issue
  name: String!
  nameWithOwner: String!
  pullRequest(number: Int!): PullRequest
  url: URI!
}

type Issue implements Comment & Node {
  ${commentFields()}
  ${databaseIds()}
  closed: Boolean!
  comments(${pageArguments}): IssueCommentConnection!
  number: Int!
  state: IssueState!
  timelineItems(
    after: String, before: String, first: Int, itemTypes: [IssueTimelineItemsItemType!], last: Int
    since: DateTime, skip: Int
  ): IssueTimelineItemsConnection!
  title: String!
  url: URI!
}

type PullRequest implements Comment & Node {
  ${commentFields()}
  ${databaseIds()}
  autoMergeRequest: AutoMergeRequest
  baseRefName: String!
  baseRefOid: GitObjectID!
  closed: Boolean!
  comments(${pageArguments}): IssueCommentConnection!
  headRefName: String!
  headRefOid: GitObjectID!
  isDraft: Boolean!
  mergeStateStatus: MergeStateStatus!
  merged: Boolean!
  mergedAt: DateTime
  number: Int!
  reviews(
    after: String, author: String, before: String, first: Int, last: Int, states: [PullRequestReviewState!]
  ): PullRequestReviewConnection
  state: PullRequestState!
  timelineItems(
    after: String, before: String, first: Int, itemTypes: [PullRequestTimelineItemsItemType!], last: Int
    since: DateTime, skip: Int
  ): PullRequestTimelineItemsConnection!
  title: String!
  url: URI!
}

type IssueComment implements Comment & Node {
  ${commentFields()}
  ${databaseIds()}
  url: URI!
}

type PullRequestReview implements Comment & Node {
  ${commentFields()}
  ${databaseIds()}
  comments(${pageArguments}): PullRequestReviewCommentConnection!
  commit: Commit
  state: PullRequestReviewState!
  submittedAt: DateTime
  url: URI!
}

type PullRequestReviewComment implements Comment & Node {
  ${commentFields()}
  ${databaseIds()}
  line: Int
  path: String!
  pullRequestReview: PullRequestReview
  replyTo: PullRequestReviewComment
  url: URI!
}

type Commit implements Node {
  id: ID!
  oid: GitObjectID!
}

type UserContentEdit implements Node {
  createdAt: DateTime!
  deletedAt: DateTime
  deletedBy: Actor
  diff: String
  editedAt: DateTime!
  editor: Actor
  id: ID!
  updatedAt: DateTime!
}

${connectionOf('IssueComment')}
${connectionOf('PullRequestReview')}
${connectionOf('PullRequestReviewComment')}
${connectionOf('UserContentEdit')}

type PageInfo {
  endCursor: String
  hasNextPage: Boolean!
  hasPreviousPage: Boolean!
  startCursor: String
}

type AutoMergeRequest {
  commitBody: String
  commitHeadline: String
  enabledBy: Actor
  mergeMethod: PullRequestMergeMethod!
}

enum IssueState { CLOSED OPEN }
enum MergeStateStatus { BEHIND BLOCKED CLEAN DIRTY DRAFT UNKNOWN UNSTABLE }
enum PullRequestMergeMethod { MERGE REBASE SQUASH }
enum PullRequestReviewState { APPROVED CHANGES_REQUESTED COMMENTED DISMISSED PENDING }
enum PullRequestState { CLOSED MERGED OPEN }
`;

/** The fields that all texts with an author have in common. */
function commentFields(): string {
  return `author: Actor
  body: String!
  createdAt: DateTime!
  editor: Actor
  id: ID!
  includesCreatedEdit: Boolean!
  lastEditedAt: DateTime
  updatedAt: DateTime!
  userContentEdits(${pageArguments}): UserContentEditConnection
  viewerDidAuthor: Boolean!`;
}

function connectionOf(type: string): string {
  return `
type ${type}Connection {
  edges: [${type}Edge]
  nodes: [${type}]
  pageInfo: PageInfo!
  totalCount: Int!
}

type ${type}Edge {
  cursor: String!
  node: ${type}
}
`;
}

function databaseIds(): string {
  return `databaseId: Int
  fullDatabaseId: BigInt`;
}

function accountFields(): string {
  return `avatarUrl(size: Int): URI!
  createdAt: DateTime!
  databaseId: Int
  id: ID!
  login: String!
  resourcePath: URI!
  updatedAt: DateTime!
  url: URI!`;
}
