import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { notFound, Problem, problemFrom, titles } from '../doors/problem.ts';

/** What is answered when a request fails, whatever the reason (RFC 9457). */
export const problemShape = z
  .object({
    type: z.literal('about:blank'),
    title: z.string().meta({ description: 'The name of the status', example: 'Conflict' }),
    status: z.int(),
    detail: z.string().meta({ description: 'What is wrong, where, and what is expected; for people' }),
    instance: z.string().meta({ description: 'The path of the request' }),
  })
  .meta({ id: 'Problem' });

export const problemType = 'application/problem+json';

/** Answers a request with the document of a problem. */
export function problemAnswer(c: Context, { status, message: detail, headers }: Problem): Response {
  const document = { type: 'about:blank', title: titles[status], status, detail, instance: c.req.path };
  return c.body(JSON.stringify(document), status, { ...headers, 'content-type': problemType });
}

/** What any fault of a route is answered with, also one of Hono's own. */
export function problemOf(fault: unknown): Problem {
  return fault instanceof HTTPException ? problemOfRequest(fault) : problemFrom(fault);
}

/** Explains why Hono's own checks refuse a body. */
function problemOfRequest({ status }: HTTPException): Problem {
  if (status === 415)
    return new Problem(415, 'The body has another type: send JSON, as `Content-Type: application/json`.');
  return new Problem(400, 'The body is not JSON: send one object, such as `{"prompt": "Rename it"}`.');
}

/** Refuses what does not fit its description; a path that cannot be one of a run is one where none is. */
export function refuseInvalid(status: 400 | 422 = 400) {
  return (result: Validated): undefined => {
    if (result.success) return undefined;
    if (result.target === 'param') throw notFound();
    const where = result.target === 'json' ? 'body' : result.target;
    const texts = result.error.issues.map(({ path, message }) => `${[where, ...path].join('.')}: ${message}`);
    throw new Problem(status, `Nothing was done, because this is wrong: ${texts.join('; ')}.`);
  };
}

type Validated = { readonly target: string } & (
  | { readonly success: true }
  | { readonly success: false; readonly error: Pick<z.ZodError, 'issues'> }
);
