import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import {
  inboxEntryShape,
  type RunSummary,
  requestShape,
  runSummaryShape,
} from '../doors/report/report-shapes.ts';
import { severities } from '../steering/shapes/gate-rules.ts';
import type { Caller, Identity } from './caller-identity.ts';
import { notFound, Problem } from './http-problem.ts';
import type { RunsOptions } from './read-run.ts';
import { type Api, basePath, type Env, json, problems, type SignedIn, security } from './route-parts.ts';
import type { Listed, RunIndex } from './run-index.ts';
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
  all: readonly Listed<T>[],
  { repository, limit = '50', cursor }: Query,
  { index, identity, installed, lookedAt, origin }: ListOptions,
) {
  const caller = c.get('caller');
  if (repository !== undefined) await requireReadable(caller, repository, { identity, installed });
  const isWanted = ({ owner, repo }: Listed<T>) =>
    repository === undefined || `${owner}/${repo}`.toLowerCase() === repository.toLowerCase();
  const blocked = new Set<string>();
  const { entries, next } = await pageOf(
    all.filter(isWanted).toSorted((one, other) => (one.order < other.order ? -1 : 1)),
    {
      ...{ limit: Number(limit), cursor },
      cost: (candidates) =>
        distinct(candidates).filter(({ owner, repo }) => !identity.isKnown(caller, owner, repo)).length,
      show: (candidates) => readableOf(caller, candidates, { identity, blocked }),
    },
  );
  if (next !== null) c.header('link', `<${linkTo(c, next, origin())}>; rel="next"`);
  return {
    runs: entries,
    next,
    as_of: lookedAt(),
    complete: lookedAt() !== null && !index.isFull,
    blocked_by_sso: [...blocked],
  };
}

/** A list of what nobody may read would look like one without runs. */
async function requireReadable(
  caller: Caller,
  repository: string,
  { identity, installed }: Pick<ListOptions, 'identity' | 'installed'>,
): Promise<void> {
  const [owner = '', repo = ''] = repository.split('/');
  const readable = await identity.readable(caller, owner, repo);
  if ((await installed(readable.repository)) === undefined) throw notFound();
}

/**
 * Each with the current name of its repository; undefined where the caller may not read it. `blocked` gets
 * the links of those that are left out for want of a single sign-on.
 */
async function readableOf<T extends RunSummary>(
  caller: Caller,
  listed: readonly Listed<T>[],
  { identity, blocked }: { readonly identity: Identity; readonly blocked: Set<string> },
): Promise<readonly (T | undefined)[]> {
  return Promise.all(
    listed.map(async ({ repository_id, owner, repo, entry }) => {
      try {
        const { repository: now } = await identity.readable(caller, owner, repo);
        if (now.id !== repository_id) return undefined;
        return { ...entry, run: entry.run.replace(/^[^#]*/, `${now.owner}/${now.name}`) };
      } catch (fault) {
        if (!(fault instanceof Problem) || fault.status >= 429) throw fault;
        if (fault.link !== undefined) blocked.add(fault.link);
        return undefined;
      }
    }),
  );
}

function distinct<T>(listed: readonly Listed<T>[]): readonly Listed<T>[] {
  return [...new Map(listed.map((each) => [`${each.owner}/${each.repo}`, each])).values()];
}

function linkTo(c: Context<Env>, cursor: string, origin: string): string {
  const url = new URL(c.req.url);
  url.searchParams.set('cursor', cursor);
  return `${origin}${url.pathname}${url.search}`;
}

interface Sorted {
  /** By this they are sorted; no two have the same. */
  readonly order: string;
}

interface Paging<T, Shown> {
  readonly limit: number;
  /** Where the page begins, as a page before it has said. */
  readonly cursor: string | undefined;
  /** What is shown of each; undefined for what the reader may not see. */
  readonly show: (candidates: readonly T[]) => Promise<readonly (Shown | undefined)[]>;
  /** How many questions it takes to show them. */
  readonly cost: (candidates: readonly T[]) => number;
}

/** So many are asked about at once, because most of a page is asked about together. */
const chunk = 50;

/** A page asks at most so many questions. */
const maxCost = 100;

/**
 * The entries that the reader may see, in their order, asking about no more than the page needs, and where
 * the next page begins; null if there is none. Only a visible entry is named by a cursor, which would tell of
 * others otherwise: where too many in a row are invisible, the next page begins where this one did, and they
 * are not asked about again.
 */
export async function pageOf<T extends Sorted, Shown>(
  sorted: readonly T[],
  { limit, cursor, show, cost }: Paging<T, Shown>,
): Promise<{ readonly entries: readonly Shown[]; readonly next: string | null }> {
  let place = placeIn(cursor);
  const entries: Shown[] = [];
  let spent = 0;
  for (let at = firstAfter(sorted, place); at < sorted.length; at += chunk) {
    const candidates = sorted.slice(at, at + chunk);
    spent += cost(candidates);
    if (spent > maxCost) return { entries, next: cursorAt(place) };
    for (const [index, entry] of (await show(candidates)).entries()) {
      if (entry === undefined) continue;
      if (entries.length === limit) return { entries, next: cursorAt(place) };
      entries.push(entry);
      place = candidates[index]?.order ?? place;
    }
    // Whether the reader may see any of the others is for the next page to find out.
    if (entries.length === limit && at + chunk < sorted.length) return { entries, next: cursorAt(place) };
  }
  return { entries, next: null };
}

function cursorAt(place: string): string {
  return Buffer.from(`>${place}`).toString('base64url');
}

function placeIn(cursor: string | undefined): string {
  if (cursor === undefined) return '';
  const [, place] = /^>([0-9 #]{0,60})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (place !== undefined) return place;
  throw new Problem(
    400,
    'This cursor is none that a page has given: leave it out to begin with the first page.',
  );
}

/** Where those begin that are sorted after a place, by bisection. */
function firstAfter(sorted: readonly Sorted[], place: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.order ?? '') > place) high = middle;
    else low = middle + 1;
  }
  return low;
}
