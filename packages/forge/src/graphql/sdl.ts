import { mutationTypes } from './sdl-mutations.ts';

/**
 * The part of GitHub's public schema that the forge supports. Names, nullability, arguments and defaults are
 * GitHub's; for a client, a field that is not listed here does not exist.
 */
export const sdl = `${mutationTypes}

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
  number: Int!
  state: IssueState!
  title: String!
  url: URI!
}

type PullRequest implements Comment & Node {
  ${commentFields()}
  ${databaseIds()}
  autoMergeRequest: AutoMergeRequest
  baseRefName: String!
  closed: Boolean!
  headRefName: String!
  headRefOid: GitObjectID!
  isDraft: Boolean!
  merged: Boolean!
  mergedAt: DateTime
  number: Int!
  state: PullRequestState!
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
  state: PullRequestReviewState!
  submittedAt: DateTime
  url: URI!
}

type PullRequestReviewComment implements Comment & Node {
  ${commentFields()}
  ${databaseIds()}
  line: Int
  path: String!
  url: URI!
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

type UserContentEditConnection {
  edges: [UserContentEditEdge]
  nodes: [UserContentEdit]
  pageInfo: PageInfo!
  totalCount: Int!
}

type UserContentEditEdge {
  cursor: String!
  node: UserContentEdit
}

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
  userContentEdits(after: String, before: String, first: Int, last: Int): UserContentEditConnection
  viewerDidAuthor: Boolean!`;
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
