import type { HttpBindings } from '@hono/node-server';
import { type OpenAPIHono, z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { Caller, Identity } from '../doors/callers/identity.ts';
import { type ProblemStatus, titles, unauthorized } from '../doors/problem.ts';
import { problemShape, problemType } from './http-problem.ts';

/** What a request brings along. */
export interface Env {
  Bindings: HttpBindings;
  Variables: { caller: Caller };
}

export type Api = OpenAPIHono<Env>;

export const basePath = '/api/v1';
export const runPath = `${basePath}/runs/{owner}/{repo}/{number}`;

/** Every route but the description of the API needs a token of GitHub. */
export const security = [{ github: [] }];

/** Asks whose token it is, before anything else of a request is looked at. */
export type SignedIn = MiddlewareHandler<Env>;

export function signedInWith(identity: Identity): SignedIn {
  return async (c, next) => {
    c.set('caller', await identity.callerOf(tokenIn(c.env.incoming.headersDistinct['authorization'] ?? [])));
    await next();
  };
}

/** GitHub's tokens are shorter, and have no other characters. */
const bearer = /^Bearer +([A-Za-z0-9_.-]{1,1024})$/i;

/** `headers`: of `Authorization`, as often as it was sent. */
function tokenIn(headers: readonly string[]): string {
  const [header, ...more] = headers;
  const how = 'expected the header `Authorization: Bearer <GitHub token>`';
  if (header === undefined) throw unauthorized(`The request has no token: ${how}.`);
  const token = more.length > 0 ? undefined : bearer.exec(header)?.[1];
  if (token === undefined) throw unauthorized(`The request has no token that can be read: ${how}, once.`);
  return token;
}

const name = (pattern: RegExp, what: string, example: string) =>
  z.string().regex(pattern).openapi({ description: what, example });

/** Anything else cannot be a run, and is answered like one that is not there. */
export const runParams = z.object({
  owner: name(/^[\w-]{1,100}$/, 'Who owns the repository', 'acme'),
  repo: name(/^(?!\.{1,2}$)[\w.-]{1,100}$/, 'Its name', 'widgets'),
  number: z
    .string()
    .regex(/^[1-9]\d{0,9}$/)
    .transform(Number)
    .openapi({ type: 'integer', description: 'The number of the pull request', example: 7 }),
});

/** Describes an answer in JSON. */
export function json<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

const readingProblems = [400, 401, 403, 404, 405, 421, 429, 500, 502, 503] as const;

/** What can go wrong with a request, beside what is its own. */
export function problems(...more: readonly ProblemStatus[]) {
  const statuses = [...readingProblems, ...more].toSorted((one, other) => one - other);
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]));
}

/** Describes once what `problems` refers to. */
export function describeProblems({ openAPIRegistry }: Api): void {
  openAPIRegistry.register('Problem', problemShape);
  const content = { [problemType]: { schema: { $ref: '#/components/schemas/Problem' } } };
  for (const [status, description] of Object.entries(titles))
    openAPIRegistry.registerComponent('responses', status, { description, content });
}
