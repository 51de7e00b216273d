import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LRUCache } from 'lru-cache';
import { isSameSecret } from '../../http/incoming-request.ts';
import { messageOf } from '../../repository/faults.ts';
import { register, type SetupResult, type SetupTargets } from './registration.ts';
import { type AppYml, manifestFor, readSetupForm, type SetupForm } from './setup-form.ts';
import { formPage, refusalPage, resultPage, reviewPage, styleSource } from './setup-pages.ts';

/** What the page needs while it is open. */
export interface SetupSession {
  readonly targets: SetupTargets;
  readonly app: AppYml;
  readonly organization: string;
  /** It is a part of the printed address, and the page cannot be used without it. */
  readonly key: string;
  /** Where we listen, as in `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** Forms that GitHub may send back, by their `state`. */
  readonly pending: LRUCache<string, SetupForm>;
  end(result: SetupResult): void;
}

interface PageResponse {
  readonly status: number;
  readonly html: string;
  /** Ends the session once the page has been sent. */
  readonly result?: SetupResult;
}

/** Handles one request. Only a callback with a `state` that we issued ever writes anything. */
export async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  session: SetupSession,
): Promise<void> {
  const { status, html, result } = await route(request, session);
  // The page has to be sent before: ending the session closes the connection.
  if (result !== undefined) response.once('close', () => session.end(result));
  response.writeHead(status, headersFor(session)).end(html);
}

function route(request: IncomingMessage, session: SetupSession): PageResponse | Promise<PageResponse> {
  // DNS rebinding: another site can resolve its own name to this machine, but cannot send our name.
  if (!isOurs(request.headers.host, session)) return refusal(403, 'This page is not served at this address.');
  if (request.method !== 'GET') return refusal(405, 'Only GET is supported.');
  const address = `${session.origin}${request.url ?? '/'}`;
  if (!URL.canParse(address)) return refusal(400, 'This address is malformed.');
  const url = new URL(address);
  if (url.pathname === '/callback') return callback(url.searchParams, session);
  if (url.pathname !== '/' && url.pathname !== '/review') return refusal(404, 'There is no such page.');
  if (!isSameSecret(url.searchParams.get('key') ?? '', session.key)) {
    return refusal(403, 'Open the complete address that setup printed.');
  }
  return url.pathname === '/' ? showForm(session) : review(url.searchParams, session);
}

function showForm({ key, organization }: SetupSession): PageResponse {
  const fields = new URLSearchParams({ name: 'Coxswain', organization });
  return { status: 200, html: formPage({ key, fields, problems: [] }).text };
}

function review(fields: URLSearchParams, session: SetupSession): PageResponse {
  const { githubUrl } = session.targets;
  const result = readSetupForm(fields, githubUrl);
  if (result.outcome === 'invalid') {
    return { status: 422, html: formPage({ key: session.key, fields, problems: result.problems }).text };
  }
  const { form } = result;
  const owner = form.organization === undefined ? '' : `organizations/${form.organization}/`;
  const action = `${githubUrl}/${owner}settings/apps/new?state=${keepPending(form, session)}`;
  return {
    status: 200,
    html: reviewPage(manifestFor(form, session.app, `${session.origin}/callback`), action).text,
  };
}

/** How many forms may wait for GitHub at once; beyond that the oldest is dropped. */
export const maxPending = 20;

/** Keeps the form under a `state` that GitHub will send back. */
function keepPending(form: SetupForm, { pending }: SetupSession): string {
  const state = newToken();
  pending.set(state, form);
  return state;
}

async function callback(fields: URLSearchParams, session: SetupSession): Promise<PageResponse> {
  const code = fields.get('code') ?? '';
  const state = [...session.pending.keys()].find((each) => isSameSecret(each, fields.get('state') ?? ''));
  const form = state && session.pending.get(state);
  if (!state || !form) return refusal(403, 'GitHub sent back a state that is unknown or already used.');
  if (!/^[\w-]{1,200}$/.test(code)) return refusal(400, 'GitHub sent back no code.');
  // Removed while we ask GitHub, so that a page loaded twice does not register twice.
  session.pending.delete(state);
  try {
    const result = await register(code, form, session.targets);
    return { status: result.outcome === 'registered' ? 200 : 500, html: resultPage(result).text, result };
  } catch (fault) {
    session.pending.set(state, form);
    return refusal(502, `${messageOf(fault)}. Reload this page to try again.`);
  }
}

export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

function refusal(status: number, text: string): PageResponse {
  return { status, html: refusalPage(text).text };
}

function isOurs(host: string | undefined, { origin }: SetupSession): boolean {
  const { host: own, port } = new URL(origin);
  return host === own || host === `localhost:${port}`;
}

function headersFor({ targets }: SetupSession): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src ${styleSource}`,
    `form-action 'self' ${new URL(targets.githubUrl).origin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
    'content-security-policy': policy.join('; '),
    // Never the whole address: it contains the key.
    'referrer-policy': 'strict-origin',
    'x-content-type-options': 'nosniff',
  };
}
