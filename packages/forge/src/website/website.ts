import type { IncomingHttpHeaders } from 'node:http';
import { assetAnswer, hashOf, revalidated, seeOther, unchanged } from '../../../../src/html/response.ts';
import type { UserActor } from '../actors.ts';
import { performAs } from '../api.ts';
import { type Context, fullName, gitOf } from '../context.ts';
import { roleOf, sees } from '../permissions.ts';
import type { ForgeRequest, ForgeResponse } from '../requests.ts';
import { HttpError, notFound } from '../responses.ts';
import type { Router } from '../router.ts';
import { assets } from './assets.ts';
import { documentOf, type Surroundings } from './layout.ts';
import { openPage } from './pages/account.ts';
import { changePages } from './pages/changes.ts';
import { checkPages } from './pages/checks.ts';
import { filePages } from './pages/files.ts';
import { issuePages } from './pages/issues.ts';
import { fallbackPage, messageOf, problemPage } from './pages/problem.ts';
import { pullPages } from './pages/pull.ts';
import { queuePages } from './pages/queue.ts';
import { documentResponse } from './response.ts';
import {
  isPage,
  type PageRoute,
  type Params,
  type RepositoryVisit,
  type Shown,
  type Visit,
} from './visit.ts';

/** Pages with which people see and use the forge as they use github.com. */
export interface WebsiteOptions {
  /** Whom the pages act for, like somebody who has signed in. */
  login: string;
  /** Whether a request may see and use the pages. */
  admits(headers: IncomingHttpHeaders): boolean;
  /** A page elsewhere about what a path shows, linked at the top of it. */
  beside?(path: string): { url: string; text: string } | undefined;
}

export type Website = (request: ForgeRequest, url: URL) => Promise<ForgeResponse>;

interface Parts {
  context: Context;
  router: Router;
  options: WebsiteOptions;
}

/** Answers the requests of browsers. */
export function createWebsite(parts: Parts): Website {
  return async (request, url) => {
    try {
      const asset = assets.get(url.pathname);
      if (asset) return assetAnswer(asset);
      requireVisitor(request, { url: parts.context.url, admits: parts.options.admits });
      return await answer(parts, request, url);
    } catch (error) {
      const { status, detail } = problemOf(parts.context, error);
      return documentResponse(status, documentOf(problemPage(status, detail), { path: url.pathname }));
    }
  };
}

/** What a visitor is told; a defect of the forge itself is logged. */
function problemOf({ observers }: Context, error: unknown): { status: number; detail: string } {
  if (error instanceof HttpError) return { status: error.status, detail: messageOf(error) };
  observers.log?.(`the website failed: ${error instanceof Error ? error.stack : String(error)}`);
  return { status: 500, detail: 'The forge failed. Its log says more.' };
}

async function answer(parts: Parts, request: ForgeRequest, url: URL): Promise<ForgeResponse> {
  const found = find(parts, url);
  const { visit, around } = found;
  if (request.method === 'POST') return posted(found, formIn(request));
  const seen = [visit.actor.account.login, url.pathname + url.search, around.beside];
  const etag = `"${hashOf(JSON.stringify([fingerprint(visit.context), ...seen]))}"`;
  if (request.headers['if-none-match'] === etag) return unchanged(revalidated(etag, 'cookie'));
  return responseFor(found, etag);
}

/** What a path leads to. */
interface Found {
  visit: Visit;
  matched: Matched | undefined;
  /** With the repository of the path, if the person can see it. */
  around: Surroundings & { visit: Visit };
}

function find({ context, router, options }: Parts, url: URL): Found {
  const account = context.store.accountNamed(options.login);
  if (!account) throw new HttpError(503, `The forge has no account ${options.login} yet.`);
  const actor: UserActor = { kind: 'user', account, via: null };
  const visit: Visit = {
    context,
    actor,
    path: url.pathname,
    query: url.searchParams,
    api: (method, path, body) => performAs(context, router, { actor, method, path, body }),
  };
  const matched = matchPage(url.pathname);
  const repository = matched && repositoryVisit(visit, matched.params);
  return {
    visit,
    matched,
    around: { path: visit.path, visit, beside: options.beside?.(visit.path), repository },
  };
}

function repositoryVisit(visit: Visit, { owner = '', repo = '' }: Params): RepositoryVisit | undefined {
  const { context, actor } = visit;
  const repository = context.store.repositoryOnceNamed(owner, repo);
  if (!repository || !sees(actor, repository)) return undefined;
  const at = `/${fullName(context, repository)}`;
  return {
    ...visit,
    repository,
    git: gitOf(context, repository),
    at,
    role: roleOf(actor.account, repository),
  };
}

async function shownTo({ visit, matched, around: { repository } }: Found): Promise<Shown> {
  const open = openPage(visit);
  if (open) return open;
  if (!matched || !repository) return fallbackPage();
  try {
    return await matched.route.show(repository, matched.params);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return error.status === 404 ? fallbackPage() : problemPage(error.status, messageOf(error));
  }
}

/** Does what the form says; if that is refused, the page tells why and keeps what was typed. */
async function posted(found: Found, form: URLSearchParams): Promise<ForgeResponse> {
  const { matched, around } = found;
  const { repository } = around;
  if (!matched || !repository) throw notFound();
  const wanted = form.get('do') ?? '';
  const deed = Object.hasOwn(matched.route.deeds, wanted) ? matched.route.deeds[wanted] : undefined;
  if (!deed) throw new HttpError(422, 'This page has no such form.');
  try {
    return seeOther(await deed(repository, { params: matched.params, form }));
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const refusal = { message: messageOf(error), status: error.status, form };
    const visit = { ...repository, refusal };
    return responseFor({ visit, matched, around: { ...around, visit, repository: visit } });
  }
}

/** Without an ETag what is shown after a refusal, which the browser must not keep. */
async function responseFor(found: Found, etag?: string): Promise<ForgeResponse> {
  const shown = await shownTo(found);
  if (!isPage(shown)) return shown;
  const status = found.visit.refusal?.status ?? shown.status ?? 200;
  return documentResponse(status, documentOf(shown, found.around), status === 200 ? etag : undefined);
}

/** Throws what a browser is told if a request did not come from somebody who may use the pages. */
export function requireVisitor(
  { method, headers }: { method: string; headers: IncomingHttpHeaders },
  { url, admits }: { url: string; admits(headers: IncomingHttpHeaders): boolean },
): void {
  // Another name that resolves to this address is DNS rebinding.
  if (headers.host !== new URL(url).host) {
    throw new HttpError(421, `This forge is at ${url}; it does not serve other names.`);
  }
  if (!admits(headers)) {
    throw new HttpError(401, 'Open the address that the demo printed: it signs you in.');
  }
  if (method === 'GET' || method === 'HEAD') return;
  if (method !== 'POST') throw new HttpError(405, 'Pages only take GET and POST.');
  // A form of another site would be sent with the cookie of this one.
  if (headers.origin !== new URL(url).origin) {
    throw new HttpError(403, 'This form was not sent by a page of the forge.');
  }
}

/** The fields of a posted form, with line ends as in files. */
export function formIn({ headers, body }: { headers: IncomingHttpHeaders; body: Buffer }): URLSearchParams {
  const type = headers['content-type']?.split(';', 1)[0];
  if (type !== 'application/x-www-form-urlencoded') {
    throw new HttpError(415, `Expected a form, but received ${type ?? 'no content type'}.`);
  }
  const fields = new URLSearchParams(body.toString('utf8'));
  for (const [name, value] of [...fields]) fields.set(name, value.replace(/\r\n?/g, '\n'));
  return fields;
}

/** Changes with everything that pages show, and costs no Git: each change of a branch is in the activity. */
function fingerprint({ store: { data } }: Context): string {
  const facts = [
    ...[data.repositories, data.issues, data.issue_events, data.comments, data.reviews, data.check_runs],
    ...[data.statuses, data.activities, data.workflow_runs, data.accounts, data.installations],
  ];
  return hashOf(JSON.stringify(facts));
}

const routes = [...issuePages, ...pullPages, ...queuePages, ...changePages, ...checkPages, ...filePages];

interface Matched {
  route: PageRoute;
  params: Params;
}

/** The first kind of page whose path this is. */
export function matchPage(path: string): Matched | undefined {
  for (const route of routes) {
    const found = route.pattern.exec(path);
    const params = found && decoded(found.groups ?? {});
    if (params) return { route, params };
  }
  return undefined;
}

/** Undefined if something is not encoded as in addresses, or could never be the name of a file. */
function decoded(groups: Record<string, string | undefined>): Params | undefined {
  try {
    const entries = Object.entries(groups).map(([name, value = '']) => [name, decodeURIComponent(value)]);
    return entries.some(([, value]) => value?.includes('\0')) ? undefined : Object.fromEntries(entries);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
