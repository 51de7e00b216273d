import {
  defaultFieldResolver,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  getNamedType,
  isEnumType,
} from 'graphql';
import type { Context } from '../context.ts';
import { isObject } from '../model.ts';
import { accountPayload } from '../payloads/accounts.ts';
import { nodeId } from '../payloads/links.ts';
import { ResolverError, type Viewer } from './viewer.ts';

/** A node says of a field what it has itself, or else what the first of the REST API's views of it has. */
export interface Viewed {
  __typename?: string;
  views?: (() => object | Promise<object>)[];
}

/** What the REST API calls otherwise, by GraphQL's names; all else has the same name in another case. */
const names: Record<string, string> = {
  authoredDate: 'author.date',
  autoMergeRequest: 'auto_merge',
  baseRefName: 'base.ref',
  baseRefOid: 'base.sha',
  commitBody: 'commit_message',
  commitHeadline: 'commit_title',
  committedDate: 'committer.date',
  fullDatabaseId: 'id',
  hasIssuesEnabled: 'has_issues',
  hasWikiEnabled: 'has_wiki',
  headRefName: 'head.ref',
  headRefOid: 'head.sha',
  headRepository: 'head.repo',
  headRepositoryOwner: 'head.repo.owner',
  id: 'node_id',
  isArchived: 'archived',
  isDraft: 'draft',
  isFork: 'fork',
  isPrivate: 'private',
  mergeCommitAllowed: 'allow_merge_commit',
  mergeStateStatus: 'mergeable_state',
  path: 'filename',
  rebaseMergeAllowed: 'allow_rebase_merge',
  squashMergeAllowed: 'allow_squash_merge',
  url: 'html_url',
};

/** Resolves every field: the node's own, or by its name from what REST says of the node. */
export const fieldOf: GraphQLFieldResolver<Viewed, Viewer> = (node, args, viewer, info) => {
  const type = getNamedType(info.returnType);
  if (type.name.endsWith('Connection')) requirePageSize(info, args);
  const own = defaultFieldResolver(node, args, viewer, info);
  if (own === undefined && node.views) return viewed(node.views, args, viewer, info);
  return isEnumType(type) ? enumWord(own) : own;
};

async function viewed(
  views: NonNullable<Viewed['views']>,
  args: PageArguments,
  { context }: Viewer,
  { fieldName, returnType, rootValue }: GraphQLResolveInfo,
): Promise<unknown> {
  const type = getNamedType(returnType);
  const path = names[fieldName] ?? fieldName.replace(/[A-Z]/g, '_$&').toLowerCase();
  let value: unknown;
  for (const view of views) if (value === undefined) value = valueAt(await view(), path);
  if (isEnumType(type)) return enumWord(value);
  const __typename = type.name.replace(/Connection$/, '');
  const nodeOf = (shown: unknown) => {
    if (!isObject(shown)) return shown;
    if ('login' in shown) return actorNode(context, Number(shown['id']));
    if (!('full_name' in shown)) return { __typename, views: [() => shown] };
    // The repository's own node has more than REST shows of it within another thing.
    return nodeFrom(rootValue, shown['node_id']);
  };
  if (__typename === type.name) return nodeOf(value);
  return connection(Array.isArray(value) ? value : [], args, nodeOf);
}

/** The node with this id, as `root.ts`, whose resolvers are the root, finds it. */
export function nodeFrom(rootValue: unknown, id: unknown): unknown {
  return (rootValue as { node(of: { id: unknown }): unknown }).node({ id });
}

function valueAt(view: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => (isObject(value) ? value[name] : undefined), view);
}

/** `too heated` is `TOO_HEATED`. */
export function enumWord(value: unknown): unknown {
  return typeof value === 'string' ? value.toUpperCase().replace(/\W/g, '_') : value;
}

/** As an actor, a bot's login has no `[bot]` suffix, unlike in REST and webhooks. */
export function actorNode(context: Context, account_id: number) {
  const { type, login } = context.store.account(account_id);
  return { ...viewerNode(context, account_id), __typename: type, login: login.replace(/\[bot\]$/, '') };
}

/** The viewer is always a `User`, and a bot's login keeps its `[bot]` suffix here. */
export function viewerNode(context: Context, account_id: number) {
  const account = context.store.account(account_id);
  const { id, type, login } = account;
  const views = [() => accountPayload(context, account)];
  return { __typename: 'User', id: nodeId(type, id), databaseId: id, login, name: login, views };
}

export interface PageArguments {
  first?: number | null;
  last?: number | null;
  after?: string | null;
}

const most = 100;

/** One page of a list. */
export function connection<Item>(
  items: Item[],
  page: PageArguments,
  nodeOf: (item: Item) => unknown = (item) => item,
) {
  const start = page.after ? Number(page.after) : 0;
  const to = Math.min(items.length, start + (page.first ?? items.length));
  const from = Math.max(start, to - (page.last ?? items.length));
  const nodes = items.slice(from, to).map(nodeOf);
  return {
    totalCount: items.length,
    nodes,
    edges: nodes.map((node, index) => ({ node, cursor: String(from + index + 1) })),
    pageInfo: {
      endCursor: to > from ? String(to) : null,
      hasPreviousPage: from > 0,
      hasNextPage: to < items.length,
    },
  };
}

/** GitHub requires `first` or `last` of whoever wants the things themselves, and not only their number. */
function requirePageSize({ fieldName: field, fieldNodes }: GraphQLResolveInfo, page: PageArguments): void {
  const { first, last } = page;
  const requested = first ?? last;
  if (requested === null || requested === undefined) {
    const selected = fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
    if (!selected.some((one) => one.kind !== 'Field' || ['nodes', 'edges'].includes(one.name.value))) return;
    const message = `You must provide a \`first\` or \`last\` value to properly paginate the \`${field}\` connection.`;
    throw new ResolverError('MISSING_PAGINATION_BOUNDARIES', message);
  }
  if (requested <= most) return;
  const name = first === requested ? 'first' : 'last';
  const message = `Requesting ${requested} records on the \`${field}\` connection exceeds the \`${name}\` limit of 100 records.`;
  throw new ResolverError('EXCESSIVE_PAGINATION', message);
}
