import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { Runs } from '../doors/callers/read-run.ts';
import { Problem } from '../doors/problem.ts';
import type { Log } from '../github/octokit/connect.ts';
import { isOurHost } from '../http/incoming-request.ts';
import { messageOf } from '../repository/faults.ts';
import type { ProgressBoard } from '../repository/progress-board.ts';
import type { LiveRuns } from '../runs/run/live-runs.ts';
import { addActing } from './action-routes.ts';
import { addListening, describeWebhook, EventsFeed } from './event-routes.ts';
import { problemAnswer, problemOf, refuseInvalid } from './http-problem.ts';
import { addLists, type ListOptions } from './list-routes.ts';
import { type Api, basePath, describeProblems, type Env, signedInWith } from './route-parts.ts';
import { addReading } from './run-routes.ts';

interface ApiOptions extends ListOptions {
  readonly liveRuns: LiveRuns;
  /** What the agents of this process are doing. */
  readonly progress?: ProgressBoard | undefined;
  readonly log: Log;
}

/** The HTTP API: reads runs, and posts a person's own comments, with the token that the person presents. */
export function createApi(options: ApiOptions) {
  const feed = new EventsFeed(options);
  const api = withRoutes(options, feed);
  const document = apiDocument(api);
  api.get(`${basePath}/openapi.json`, (c) => c.json(document));
  const listener = getRequestListener(api.fetch, { overrideGlobalObjects: false });
  return {
    document,
    /** Ends what is still being told to listeners. */
    close: () => feed.close(),
    /** Handles a request to the API; false if it is not one. */
    handle: async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
      if (!/^\/api\/v1(?:[/?]|$)/.test(request.url ?? '')) return false;
      await listener(request, response);
      return true;
    },
  };
}

/** What the API is described by, for programs. */
function apiDocument(api: Api) {
  describeProblems(api);
  describeWebhook(api);
  api.openAPIRegistry.registerComponent('securitySchemes', 'github', {
    type: 'http',
    scheme: 'bearer',
    description: 'A GitHub token of a person, such as a fine-grained one with access to the repository',
  });
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
      { name: 'Acts', description: 'What people say on a run, each as their own comment' },
    ],
  });
}

function withRoutes(options: ApiOptions, feed: EventsFeed): Api {
  const { identity, origin, log } = options;
  const api: Api = new OpenAPIHono<Env>({ defaultHook: refuseInvalid() });
  api.use(
    secureHeaders({
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      // Whether the whole host is served by https alone is for its operator to say.
      strictTransportSecurity: false,
    }),
  );
  api.use(async (c, next) => {
    c.header('cache-control', 'no-store');
    if (!isOurHost(c.env.incoming, origin())) throw new Problem(421, `This API is served at ${origin()}.`);
    await next();
  });
  const signedIn = signedInWith(identity);
  const runs = new Runs(options);
  addLists(api, signedIn, options);
  addReading(api, signedIn, runs);
  addListening(api, signedIn, { identity, runs, feed });
  addActing(api, signedIn, { ...options, runs });
  api.notFound((c) => problemAnswer(c, withoutRoute(api, c)));
  api.onError((fault, c) => {
    const problem = problemOf(fault);
    // Whoever has gone away has not seen it fail.
    if (problem.status === 500 && !c.req.raw.signal.aborted)
      log.error(`the API failed at ${c.req.method} ${c.req.path}: ${messageOf(fault)}`);
    return problemAnswer(c, problem);
  });
  return api;
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
