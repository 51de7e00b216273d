import type { Actor, InstallationActor } from './actors.ts';
import type { Context } from './context.ts';
import type { Input } from './input.ts';
import type { App, Repository } from './model.ts';
import type { Needs } from './permissions.ts';
import type { ApiResponse } from './responses.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Awaitable<Thing> = Thing | Promise<Thing>;

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

export type RepositoryRequest = ApiRequest & { repository: Repository };
export type AppRequest = ApiRequest & { app: App };
export type InstallationRequest = ApiRequest & { actor: InstallationActor };

/** A method and path as in GitHub's description, who may use it, and its handler. */
export type Route = { method: Method; path: string } & (
  | { for: 'anyone'; run(request: ApiRequest): Awaitable<ApiResponse> }
  | { for: 'app'; run(request: AppRequest): Awaitable<ApiResponse> }
  | { for: 'installation'; run(request: InstallationRequest): Awaitable<ApiResponse> }
  | { for: 'repository'; needs: Needs; run(request: RepositoryRequest): Awaitable<ApiResponse> }
);

export interface Match {
  route: Route;
  params: Record<string, string>;
}

export type Router = (method: string, path: string) => Match | undefined;

/** A route of a repository; `GET /issues` stands for `GET /repos/{owner}/{repo}/issues`. */
export function repositoryRoute(
  line: string,
  needs: Needs,
  run: (request: RepositoryRequest) => Awaitable<ApiResponse>,
): Route {
  const { method, path } = parsed(line);
  return { method, path: `/repos/{owner}/{repo}${path === '/' ? '' : path}`, for: 'repository', needs, run };
}

export function openRoute(line: string, run: (request: ApiRequest) => Awaitable<ApiResponse>): Route {
  return { ...parsed(line), for: 'anyone', run };
}

export function appRoute(line: string, run: (request: AppRequest) => Awaitable<ApiResponse>): Route {
  return { ...parsed(line), for: 'app', run };
}

export function installationRoute(
  line: string,
  run: (request: InstallationRequest) => Awaitable<ApiResponse>,
): Route {
  return { ...parsed(line), for: 'installation', run };
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
