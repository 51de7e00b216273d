import { type ApiResponse, HttpError, ok } from './responses.ts';
import type { ApiRequest } from './router.ts';

/** One page of a list, with GitHub's `Link` header. */
export function page<Item>(
  request: ApiRequest,
  items: Item[],
  render: (item: Item) => unknown,
): Promise<ApiResponse> {
  return pageOf(request, items, async (shown) => Promise.all(shown.map(render)));
}

/** The same for a response that wraps its list, such as `{ total_count, check_runs }`. */
export async function pageOf<Item>(
  request: ApiRequest,
  items: Item[],
  wrap: (shown: Item[]) => Promise<unknown>,
): Promise<ApiResponse> {
  const size = sizeIn(request);
  const number = Math.max(1, numberIn(request.query, 'page', 1));
  const last = Math.max(1, Math.ceil(items.length / size));
  const shown = items.slice((number - 1) * size, number * size);
  const link = linkHeader(request, number, last);
  return ok(await wrap(shown), link ? { link } : {});
}

/** One page of a list whose `Link` header has GitHub's cursors `before` and `after` instead of numbers. */
export function cursorPage<Item extends { id: number }>(
  request: ApiRequest,
  items: Item[],
  render: (item: Item) => unknown,
): ApiResponse {
  const { query } = request;
  const size = sizeIn(request);
  const until = placeOf(items, query.get('before')) ?? items.length;
  const from = query.has('before')
    ? Math.max(0, until - size)
    : (placeOf(items, query.get('after')) ?? -1) + 1;
  const shown = items.slice(from, Math.min(until, from + size));
  const [first, last] = [shown[0], shown.at(-1)];
  const links = [
    first && from > 0 ? cursorLink(request, 'prev', ['before', first.id]) : '',
    last && from + shown.length < items.length ? cursorLink(request, 'next', ['after', last.id]) : '',
  ].filter((link) => link !== '');
  return ok(shown.map(render), links.length > 0 ? { link: links.join(', ') } : {});
}

function placeOf(items: { id: number }[], cursor: string | null): number | undefined {
  if (cursor === null) return undefined;
  const place = items.findIndex(({ id }) => cursorOf(id) === cursor);
  if (place === -1) throw new HttpError(422, `Invalid request.\n\n${cursor} is not a valid cursor.`);
  return place;
}

function cursorOf(id: number): string {
  return Buffer.from(`v1:${id}`).toString('base64url');
}

function cursorLink(request: ApiRequest, rel: string, [name, id]: ['before' | 'after', number]): string {
  const query = new URLSearchParams(request.query);
  for (const other of ['before', 'after']) query.delete(other);
  query.set(name, cursorOf(id));
  return `<${request.address}?${query}>; rel="${rel}"`;
}

function linkHeader(request: ApiRequest, number: number, last: number): string {
  const pages: [string, number][] = [];
  if (number > 1) pages.push(['prev', Math.min(number - 1, last)]);
  if (number < last) pages.push(['next', number + 1], ['last', last]);
  if (number > 1) pages.push(['first', 1]);
  return pages.map(([rel, target]) => `<${addressOf(request, target)}>; rel="${rel}"`).join(', ');
}

function addressOf(request: ApiRequest, number: number): string {
  const query = new URLSearchParams(request.query);
  query.set('page', String(number));
  return `${request.address}?${query}`;
}

function sizeIn({ query, context }: ApiRequest): number {
  return Math.min(context.largestPage, Math.max(1, numberIn(query, 'per_page', 30)));
}

function numberIn(query: URLSearchParams, name: string, otherwise: number): number {
  const value = Number.parseInt(query.get(name) ?? '', 10);
  return Number.isNaN(value) ? otherwise : value;
}
