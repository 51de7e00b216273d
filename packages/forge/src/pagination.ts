import { type ApiResponse, ok } from './responses.ts';
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
  const size = Math.min(100, Math.max(1, numberIn(request.query, 'per_page', 30)));
  const number = Math.max(1, numberIn(request.query, 'page', 1));
  const last = Math.max(1, Math.ceil(items.length / size));
  const shown = items.slice((number - 1) * size, number * size);
  const link = linkHeader(request, number, last);
  return ok(await wrap(shown), link ? { link } : {});
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

function numberIn(query: URLSearchParams, name: string, otherwise: number): number {
  const value = Number.parseInt(query.get(name) ?? '', 10);
  return Number.isNaN(value) ? otherwise : value;
}
