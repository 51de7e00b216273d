import { ResolverError } from './viewer.ts';

export interface PageArguments {
  first?: number | null;
  last?: number | null;
  after?: string | null;
  before?: string | null;
}

const most = 100;

/** One page of a list; GitHub requires `first` or `last`. */
export function connection<Item>(field: string, items: Item[], page: PageArguments) {
  requirePageSize(field, page);
  const start = page.after ? placeIn(page.after) + 1 : 0;
  const end = page.before ? placeIn(page.before) : items.length;
  const first = page.first ?? items.length;
  const to = Math.min(end, start + first);
  const from = Math.max(start, to - (page.last ?? items.length));
  const edges = items.slice(from, to).map((node, index) => ({ cursor: cursorOf(from + index), node }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    totalCount: items.length,
    pageInfo: {
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
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

function cursorOf(place: number): string {
  return Buffer.from(`cursor:${place}`).toString('base64');
}

function placeIn(cursor: string): number {
  return Number(/^cursor:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString('utf8'))?.[1] ?? -1);
}
