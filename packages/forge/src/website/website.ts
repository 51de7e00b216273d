import type { IncomingHttpHeaders } from 'node:http';
import { assetAnswer, hashOf, revalidated, seeOther, unchanged } from '../../../../src/html/response.ts';
import type { UserActor } from '../actors.ts';
import { performAs } from '../api.ts';
import { type Context, gitOf } from '../context.ts';
import type { Repository } from '../model.ts';
import { roleOf, sees } from '../permissions.ts';
import type { ForgeRequest, ForgeResponse } from '../requests.ts';
import { HttpError, notFound } from '../responses.ts';
import type { Router } from '../router.ts';
import { assets } from './assets.ts';
import { documentOf, type Surroundings } from './layout.ts';
import { accountPages } from './pages/account.ts';
import { changePages } from './pages/changes.ts';
import { checkPages } from './pages/checks.ts';
import { filePages } from './pages/files.ts';
import { issuePages } from './pages/issues.ts';
import { fallbackPage, messageOf, problemPage } from './pages/problem.ts';
import { pullPages } from './pages/pull.ts';
import { documentResponse } from './response.ts';
import { isPage, type PageRoute, type Params, type Shown, type Visit } from './visit.ts';

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
  const visit = visitOf(parts, url);
  const matched = matchPage(url.pathname);
  const repository = repositoryIn(visit, matched);
  if (request.method === 'POST') return posted(parts, { visit, matched, repository }, formIn(request));
  const seen = [visit.actor.account.login, url.pathname + url.search, besideOf(parts, url)];
  const facts = [fingerprint(visit.context), ...seen];
  const etag = `"${hashOf(JSON.stringify(facts))}"`;
  if (request.headers['if-none-match'] === etag) return unchanged(revalidated(etag, 'cookie'));
  const found = { visit, matched, repository };
  return responseFor(parts, found, { shown: await shownTo(found), etag });
}

function visitOf({ context, router, options }: Parts, url: URL): Visit {
  const account = context.store.accountNamed(options.login);
  if (!account) throw new HttpError(503, `The forge has no account ${options.login} yet.`);
  const actor: UserActor = { kind: 'user', account, via: null };
  return {
    context,
    actor,
    path: url.pathname,
    query: url.searchParams,
    api: (method, path, body) => performAs(context, router, { actor, method, path, body }),
  };
}

interface Found {
  visit: Visit;
  matched: Matched | undefined;
  /** The repository of the path, if the person can see it. */
  repository: Repository | undefined;
}

function repositoryIn({ context, actor }: Visit, matched: Matched | undefined): Repository | undefined {
  const { owner = '', repo = '' } = matched?.params ?? {};
  const repository = context.store.repositoryNamed(owner, repo);
  return repository && sees(actor, repository) ? repository : undefined;
}

async function shownTo({ visit, matched, repository }: Found): Promise<Shown> {
  if (!matched) return fallbackPage();
  const { route, params } = matched;
  try {
    if (route.of === 'anything') return await route.show(visit, params);
    if (!repository) throw notFound();
    return await route.show({ ...visit, ...surroundings(visit, repository) }, params);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return error.status === 404 ? fallbackPage() : problemPage(error.status, messageOf(error));
  }
}

function surroundings(visit: Visit, repository: Repository) {
  const owner = visit.context.store.account(repository.owner_id).login;
  const role = roleOf(visit.actor.account, repository);
  return { repository, git: gitOf(visit.context, repository), at: `/${owner}/${repository.name}`, role };
}

/** Does what the form says; if that is refused, the page tells why and keeps what was typed. */
async function posted(parts: Parts, found: Found, form: URLSearchParams): Promise<ForgeResponse> {
  const { visit, matched, repository } = found;
  if (matched?.route.of !== 'repository' || !repository) throw notFound();
  const wanted = form.get('do') ?? '';
  const deed = Object.hasOwn(matched.route.deeds, wanted) ? matched.route.deeds[wanted] : undefined;
  if (!deed) throw new HttpError(422, 'This page has no such form.');
  const here = { ...visit, ...surroundings(visit, repository) };
  try {
    return seeOther(await deed(here, { params: matched.params, form }));
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const refusal = { message: messageOf(error), status: error.status, form };
    const refused = { ...found, visit: { ...visit, refusal } };
    return responseFor(parts, refused, { shown: await shownTo(refused), etag: undefined });
  }
}

/** Undefined for what is shown after a refusal, which the browser must not keep. */
interface Answer {
  shown: Shown;
  etag: string | undefined;
}

function responseFor(parts: Parts, { visit, repository }: Found, { shown, etag }: Answer): ForgeResponse {
  if (!isPage(shown)) return shown;
  const around: Surroundings = {
    path: visit.path,
    visit,
    beside: besideOf(parts, new URL(visit.path, parts.context.url)),
    repository: repository && { ...visit, ...surroundings(visit, repository) },
  };
  const status = visit.refusal?.status ?? shown.status ?? 200;
  return documentResponse(status, documentOf(shown, around), status === 200 ? etag : undefined);
}

function besideOf({ options }: Parts, { pathname }: URL) {
  return options.beside?.(pathname);
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

const routes = [...accountPages, ...issuePages, ...pullPages, ...changePages, ...checkPages, ...filePages];

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
