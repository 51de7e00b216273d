import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { Log } from '../github/octokit/connect.ts';
import { isOurHost } from '../http/own-host.ts';
import { messageOf } from '../runs/faults.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import { Identity } from './identity.ts';
import { addLists, type ListOptions } from './lists.ts';
import { invalid, notFound, Problem, problemAnswer, problemFrom } from './problem.ts';
import { addReading } from './reading.ts';
import { type Api, basePath, type Env, signedInWith } from './routes.ts';
import { Runs, type RunsOptions } from './runs.ts';

export interface ApiOptions
  extends Pick<RunsOptions, 'installed'>,
    Omit<ListOptions, 'identity' | 'installed'> {
  readonly liveRuns: LiveRuns;
  /** GitHub's API. */
  readonly apiUrl: string;
  readonly log: Pick<Log, 'error'>;
}

/** The HTTP API: reads runs, and posts a person's own comments, with the token that the person presents. */
export function createApi(options: ApiOptions) {
  const api = withRoutes(options);
  const listener = getRequestListener(api.fetch, { overrideGlobalObjects: false });
  return {
    /** Handles a request to the API; false if it is not one. */
    handle: async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
      if (!/^\/api\/v1(?:[/?]|$)/.test(request.url ?? '')) return false;
      await listener(request, response);
      return true;
    },
  };
}

/** What the API is described by, for programs. */
export function apiDocument(api: Api) {
  return api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Coxswain',
      version: '1',
      description:
        'Reads runs of coding agents, and steers them with the same words as comments on their pull requests. ' +
        'Every request is made with the GitHub token of a person and sees what that token sees; each act is ' +
        "that person's own comment, so that GitHub shows it and Coxswain checks it like any other.",
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'Lists', description: 'Runs of all repositories' },
      { name: 'Runs', description: 'One run' },
    ],
  });
}

function withRoutes(options: ApiOptions): Api {
  const { apiUrl, origin, log } = options;
  const api: Api = new OpenAPIHono<Env>({
    defaultHook: (result, c) => {
      if (result.success) return;
      if (result.target === 'param') return problemAnswer(c, notFound());
      return problemAnswer(c, invalid(result.target === 'json' ? 'body' : result.target, result.error));
    },
  });
  api.use(secureHeaders({ contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } }));
  api.use(async (c, next) => {
    c.header('cache-control', 'no-store');
    if (!isOurHost(c.env.incoming, origin())) throw new Problem(421, `This API is served at ${origin()}.`);
    await next();
  });
  const identity = new Identity(apiUrl);
  const signedIn = signedInWith(identity);
  const all = { ...options, identity };
  const runs = new Runs(all);
  addLists(api, signedIn, all);
  addReading(api, signedIn, { ...options, runs });
  addDescription(api);
  api.notFound((c) => problemAnswer(c, withoutRoute(api, c)));
  api.onError((fault, c) => {
    const problem = problemFrom(fault);
    if (problem.status === 500)
      log.error(`the API failed at ${c.req.method} ${c.req.path}: ${messageOf(fault)}`);
    return problemAnswer(c, problem);
  });
  return api;
}

function addDescription(api: Api): void {
  api.openAPIRegistry.registerComponent('securitySchemes', 'github', {
    type: 'http',
    scheme: 'bearer',
    description: 'A GitHub token of a person, such as a fine-grained one with access to the repository',
  });
  const document = apiDocument(api);
  api.get(`${basePath}/openapi.json`, (c) => c.json(document));
}

/** Another method may be what the path takes. */
function withoutRoute(api: Api, { req }: Context): Problem {
  const takes = (method: string) =>
    api.router.match(method, req.path)[0].some(([[, { method: own }]]) => own === method);
  const allowed = ['GET', 'POST'].filter(takes);
  if (allowed.length > 0) {
    const allow = allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)).join(', ');
    return new Problem(405, `${req.method} is not taken here: expected ${allow}.`, { allow });
  }
  return new Problem(404, `There is no ${req.path} here: ${basePath}/openapi.json lists what there is.`);
}
