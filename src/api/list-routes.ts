import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Caller } from '../doors/callers/identity.ts';
import type { RunsOptions } from '../doors/callers/read-run.ts';
import type { Readable } from '../doors/callers/visible-repositories.ts';
import { listRuns } from '../doors/lists/list-runs.ts';
import type { Listed, RunIndex } from '../doors/lists/run-index.ts';
import { notFound } from '../doors/problem.ts';
import {
  inboxEntryShape,
  type RunSummary,
  requestShape,
  runSummaryShape,
} from '../doors/report/report-shapes.ts';
import { severities } from '../steering/shapes/gate-rules.ts';
import { type Api, basePath, type Env, json, problems, type SignedIn, security } from './route-parts.ts';
import { asOf } from './run-routes.ts';

export interface ListOptions extends Pick<RunsOptions, 'identity' | 'installed'> {
  readonly index: RunIndex;
  /** When this process last looked through all repositories, ISO 8601; null if it has not yet. */
  readonly lookedAt: () => string | null;
  /** Where the API is served. */
  readonly origin: () => string;
}

const paging = {
  repository: z
    .string()
    .regex(/^[\w-]{1,100}\/[\w.-]{1,100}$/, 'expected owner/name')
    .optional()
    .openapi({ description: 'Only of this one', example: 'acme/widgets' }),
  limit: z
    .string()
    .regex(/^(?:[1-9]\d?|100)$/, 'expected a number from 1 to 100')
    .optional()
    .openapi({ type: 'integer', description: 'How many at most, up to 100; 50 by default', example: 50 }),
  cursor: z.string().max(200).optional().openapi({ description: '`next` of the page before' }),
};

const runsQuery = z.strictObject({ phase: runSummaryShape.shape.phase.optional(), ...paging });

const inboxQuery = z.strictObject({
  kind: requestShape.shape.kind.optional().openapi({ description: 'Only what asks for this' }),
  risk: z.enum(severities).optional().openapi({ description: 'Only of this risk' }),
  ...paging,
});

const listShape = z.object({
  next: z
    .string()
    .nullable()
    .meta({ description: 'The `cursor` of the next page; null if this is the last' }),
  as_of: asOf.nullable().meta({
    description:
      'When the App last looked through all repositories, ISO 8601; what it was told since is included. ' +
      'Null if it has only started, and may not know of all runs yet',
  }),
  access_as_of: asOf.meta({
    description:
      'When GitHub said which repositories the caller may read, ISO 8601: usually less than a minute ago, ' +
      'or than five while GitHub cannot be reached',
  }),
  complete: z.boolean().meta({ description: 'False if the App may know of more runs than it keeps in mind' }),
  blocked_by_sso: z.array(z.string()).readonly().meta({
    description:
      'Where to let the single sign-on of an organization admit this token, whose runs are left out',
  }),
});

/** The routes that list runs of all repositories that the caller may read. */
export function addLists(api: Api, signedIn: SignedIn, options: ListOptions): void {
  const { index } = options;
  const runs = listRoute('/runs', 'listRuns', {
    ...{ signedIn, query: runsQuery, of: runSummaryShape, id: 'Runs' },
    summary: 'The runs that the caller may read, those that changed last first',
  });
  api.openapi(runs, async (c) => {
    const { phase, ...query } = runsQuery.parse(c.req.query());
    const wanted = index.runs().filter(({ entry }) => phase === undefined || entry.phase === phase);
    return c.json(await listed(c, wanted, query, options), 200);
  });
  const inbox = listRoute('/inbox', 'listInbox', {
    ...{ signedIn, query: inboxQuery, of: inboxEntryShape, id: 'Inbox' },
    summary: 'The runs that wait for people and that the caller may read, riskiest first, then oldest',
  });
  api.openapi(inbox, async (c) => {
    const { kind, risk, ...query } = inboxQuery.parse(c.req.query());
    const wanted = index
      .waiting()
      .filter(({ entry }) => kind === undefined || entry.kind === kind)
      .filter(({ entry }) => risk === undefined || entry.risk_level === risk);
    return c.json(await listed(c, wanted, query, options), 200);
  });
}

function listRoute<Q extends z.ZodObject, T extends z.ZodType>(
  path: `/${string}`,
  operationId: string,
  { signedIn, query, of, id, summary }: ListRoute<Q, T>,
) {
  return createRoute({
    ...{ method: 'get', path: `${basePath}${path}`, operationId, tags: ['Lists'], summary, security },
    middleware: [signedIn],
    request: { query },
    responses: {
      200: {
        ...json(listShape.extend({ runs: z.array(of).readonly() }).meta({ id }), summary),
        headers: {
          Link: { description: 'Leads to the next page, if there is one', schema: { type: 'string' } },
        },
      },
      ...problems(),
    },
  });
}

interface ListRoute<Q, T> {
  readonly signedIn: SignedIn;
  readonly query: Q;
  readonly of: T;
  readonly id: string;
  readonly summary: string;
}

interface Query {
  readonly repository?: string | undefined;
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
}

/** What all lists answer. */
async function listed<T extends RunSummary>(
  c: Context<Env>,
  wanted: readonly Listed<T>[],
  { repository, limit = '50', cursor }: Query,
  options: ListOptions,
) {
  const { index, identity, lookedAt, origin } = options;
  const caller = c.get('caller');
  const only = repository === undefined ? undefined : await readableIn(caller, repository, options);
  const page = await listRuns(identity, caller, wanted, { only, limit: Number(limit), cursor });
  if (page.next !== null) c.header('link', `<${linkTo(c, page.next, origin())}>; rel="next"`);
  const { runs, total: _, ...more } = page;
  return {
    runs: runs.map(({ entry }) => entry),
    ...{ ...more, as_of: lookedAt(), complete: lookedAt() !== null && !index.isFull },
  };
}

/** A list of what nobody may read would look like one without runs. */
async function readableIn(
  caller: Caller,
  repository: string,
  { identity, installed }: Pick<ListOptions, 'identity' | 'installed'>,
): Promise<Readable> {
  const [owner = '', repo = ''] = repository.split('/');
  const readable = await identity.readable(caller, owner, repo);
  if ((await installed(readable.repository)) === undefined) throw notFound();
  return readable;
}

function linkTo(c: Context<Env>, cursor: string, origin: string): string {
  const url = new URL(c.req.url);
  url.searchParams.set('cursor', cursor);
  return `${origin}${url.pathname}${url.search}`;
}
