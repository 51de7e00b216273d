import type { Actor } from './actors.ts';
import type { Context } from './context.ts';
import type { Git } from './git/plumbing.ts';
import type { Input } from './input.ts';
import type { App, Author, Repository } from './model.ts';
import type { Needs } from './permissions.ts';
import { type ApiResponse, invalidRequest, ok } from './responses.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Handler<Request> = (request: Request) => ApiResponse | Listed | Promise<ApiResponse | Listed>;

/** A request that has a route and the permissions for it. */
export interface ApiRequest {
  context: Context;
  actor: Actor;
  params: Record<string, string>;
  query: URLSearchParams;
  input: Input;
  /** The `Accept` header. */
  accept: string;
  /** The URL of the request, without its query. */
  address: string;
}

/** `author` and `sender_id` say who asks, as what they write has it; an anonymous request is a 401 then. */
export type RepositoryRequest = ApiRequest & {
  repository: Repository;
  git: Git;
  author: Author;
  sender_id: number;
};
export type AppRequest = ApiRequest & { app: App };

/** A method and path as in GitHub's description, who may use it, and its handler. */
export type Route = { method: Method; path: string } & (
  | { for: 'anyone'; run: Handler<ApiRequest> }
  | { for: 'app'; run: Handler<AppRequest> }
  | { for: 'repository'; needs: Needs; run: Handler<RepositoryRequest> }
);

export interface Match {
  route: Route;
  params: Record<string, string>;
}

export type Router = (method: string, path: string) => Match | undefined;

/** A route of a repository; `GET /issues` stands for `GET /repos/{owner}/{repo}/issues`. */
export function repositoryRoute(line: string, needs: Needs, run: Handler<RepositoryRequest>): Route {
  const { method, path } = parsed(line);
  return { method, path: `/repos/{owner}/{repo}${path === '/' ? '' : path}`, for: 'repository', needs, run };
}

/** Routes of something in a repository, which the path names: the handler gets it. */
export function routesOn<Thing>(find: (request: RepositoryRequest) => Thing) {
  return (
    line: string,
    needs: Needs,
    run: (thing: Thing, request: RepositoryRequest) => ReturnType<Handler<RepositoryRequest>>,
  ): Route => repositoryRoute(line, needs, (request) => run(find(request), request));
}

export function openRoute(line: string, run: Handler<ApiRequest>): Route {
  return { ...parsed(line), for: 'anyone', run };
}

export function appRoute(line: string, run: Handler<AppRequest>): Route {
  return { ...parsed(line), for: 'app', run };
}

export function createRouter(routes: Route[]): Router {
  const compiled = routes
    .map((route) => ({ route, pattern: patternOf(route.path), literals: literalsIn(route.path) }))
    .sort((left, right) => right.literals - left.literals);
  return (method, path) => {
    for (const { route, pattern } of compiled) {
      const matched = route.method === method ? pattern.exec(path) : null;
      if (matched) return { route, params: decodedParams(matched.groups ?? {}) };
    }
    return undefined;
  };
}

function parsed(line: string): { method: Method; path: string } {
  const [method = '', path = ''] = line.split(' ');
  // All lines are in this package; a wrong method would match no request.
  return { method: method as Method, path };
}

/** Parameters whose values may contain slashes. */
const long = new Set(['path', 'ref', 'branch', 'basehead', 'name']);

function patternOf(path: string): RegExp {
  const source = path.replace(
    /\{(\w+)\}/g,
    (_, name: string) => `(?<${name}>${long.has(name) ? '.*' : '[^/]+'})`,
  );
  return new RegExp(`^${source}$`);
}

function literalsIn(path: string): number {
  return path.split('/').filter((segment) => segment !== '' && !segment.startsWith('{')).length;
}

function decodedParams(groups: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
}

/** A list of which the client gets the page that it asks for. */
export interface Listed {
  count: number;
  /** The body of the response for the items from one place to another one. */
  show(from: number, to: number): Promise<unknown>;
}

export function page<Item>(items: Item[], render: (item: Item) => unknown): Listed {
  return pageOf(items, (shown) => Promise.all(shown.map(render)));
}

/** The same for a response that wraps its list, such as `{ total_count, check_runs }`. */
export function pageOf<Item>(items: Item[], wrap: (shown: Item[]) => Promise<unknown>): Listed {
  return { count: items.length, show: (from, to) => wrap(items.slice(from, to)) };
}

/** One page of a list, with GitHub's `Link` header. */
export async function responseFor(request: ApiRequest, { count, show }: Listed): Promise<ApiResponse> {
  const size = sizeIn(request);
  const number = Math.max(1, numberIn(request.query, 'page', 1));
  const last = Math.max(1, Math.ceil(count / size));
  const link = linkHeader(request, number, last);
  return ok(await show((number - 1) * size, number * size), link ? { link } : {});
}

/**
 * One page of a list whose `Link` header leads to the next one by a cursor, which the query has as
 * `parameter`.
 */
export function cursorPage<Item extends { id: number }>(
  request: ApiRequest,
  items: Item[],
  render: (item: Item) => unknown,
  parameter: string,
): ApiResponse {
  const from = (placeOf(items, request.query.get(parameter)) ?? -1) + 1;
  const shown = items.slice(from, from + sizeIn(request));
  const last = shown.at(-1);
  const query = new URLSearchParams(request.query);
  if (last) query.set(parameter, cursorOf(last.id));
  const isMore = from + shown.length < items.length;
  return ok(shown.map(render), isMore ? { link: `<${request.address}?${query}>; rel="next"` } : {});
}

function placeOf(items: { id: number }[], cursor: string | null): number | undefined {
  if (cursor === null) return undefined;
  const place = items.findIndex(({ id }) => cursorOf(id) === cursor);
  if (place === -1) throw invalidRequest(`${cursor} is not a valid cursor.`);
  return place;
}

function cursorOf(id: number): string {
  return Buffer.from(`v1:${id}`).toString('base64url');
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
