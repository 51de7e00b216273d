/** The timeline of an issue in GitHub's public schema, with the items that the forge supports. */
export const issueTimelineTypes = `
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
`;
