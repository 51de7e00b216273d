import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AppYml, manifestFor } from './manifest.ts';
import { formPage, refusalPage, resultPage, reviewPage, styleSource } from './pages.ts';
import { type Places, register } from './registration.ts';
import type { SetupResult } from './setup.ts';
import { readWish, type StartOptions } from './setup-form.ts';

/** Everything the page knows while it is open. */
export interface Desk {
  readonly places: Places;
  readonly app: AppYml;
  readonly organization: string;
  /** Part of the address we print: who has not seen it gets nothing. */
  readonly key: string;
  /** Our own address, `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** Reviews that may come back from GitHub, by their state. */
  readonly pending: Map<string, StartOptions>;
  end(result: SetupResult): void;
}

interface Answer {
  readonly status: number;
  readonly html: string;
  /** Told when the page has been sent. */
  readonly result?: SetupResult;
}

/** Answers one request. Only a callback that knows a state of ours ever writes anything. */
export async function answer(request: IncomingMessage, response: ServerResponse, desk: Desk): Promise<void> {
  const { status, html, result } = await answerTo(request, desk);
  // Ended only when the page has gone out: ending closes the connection.
  if (result !== undefined) response.once('close', () => desk.end(result));
  response.writeHead(status, headersFor(desk)).end(html);
}

function answerTo(request: IncomingMessage, desk: Desk): Answer | Promise<Answer> {
  // A foreign page can point a name of its own at this machine, but not send our name (DNS rebinding).
  if (!isOurs(request.headers.host, desk)) return refusal(403, 'This address is not ours.');
  if (request.method !== 'GET') return refusal(405, 'There is nothing to send here.');
  const address = `${desk.origin}${request.url ?? '/'}`;
  if (!URL.canParse(address)) return refusal(400, 'This address cannot be read.');
  const url = new URL(address);
  if (url.pathname === '/callback') return callback(url.searchParams, desk);
  if (url.pathname !== '/' && url.pathname !== '/review') return refusal(404, 'There is no such page.');
  if (!isSame(url.searchParams.get('key') ?? '', desk.key)) {
    return refusal(403, 'Open the address that setup printed, all of it.');
  }
  return url.pathname === '/' ? form(desk) : review(url.searchParams, desk);
}

function form({ key, organization }: Desk): Answer {
  const fields = new URLSearchParams({ name: 'Coxswain', organization });
  return { status: 200, html: formPage({ key, fields, problems: [] }) };
}

function review(fields: URLSearchParams, desk: Desk): Answer {
  const { githubUrl } = desk.places;
  const reading = readWish(fields, githubUrl);
  if (reading.outcome === 'unclear') {
    return { status: 422, html: formPage({ key: desk.key, fields, problems: reading.problems }) };
  }
  const { startOptions } = reading;
  const owner = startOptions.organization === undefined ? '' : `organizations/${startOptions.organization}/`;
  const action = `${githubUrl}/${owner}settings/apps/new?state=${remember(startOptions, desk)}`;
  return {
    status: 200,
    html: reviewPage(manifestFor(startOptions, desk.app, `${desk.origin}/callback`), action),
  };
}

const mostPending = 20;

/** Remembers a wish under a state that GitHub will bring back. */
function remember(startOptions: StartOptions, { pending }: Desk): string {
  const [oldest] = pending.keys();
  if (pending.size >= mostPending && oldest !== undefined) pending.delete(oldest);
  const state = newToken();
  pending.set(state, startOptions);
  return state;
}

async function callback(fields: URLSearchParams, desk: Desk): Promise<Answer> {
  const code = fields.get('code') ?? '';
  const state = [...desk.pending.keys()].find((each) => isSame(each, fields.get('state') ?? ''));
  const startOptions = state && desk.pending.get(state);
  if (!state || !startOptions)
    return refusal(403, 'GitHub brought back a state that is not ours, or that was used.');
  if (!/^[\w-]{1,200}$/.test(code)) return refusal(400, 'GitHub brought back no code.');
  // Used up while we ask, so that a page loaded twice does not register twice.
  desk.pending.delete(state);
  try {
    const result = await register(code, startOptions, desk.places);
    return { status: result.outcome === 'registered' ? 200 : 500, html: resultPage(result), result };
  } catch (fault) {
    desk.pending.set(state, startOptions);
    return refusal(502, `${messageOf(fault)}. Load this page again to try once more.`);
  }
}

export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

function refusal(status: number, text: string): Answer {
  return { status, html: refusalPage(text) };
}

function isOurs(host: string | undefined, { origin }: Desk): boolean {
  const { host: own, port } = new URL(origin);
  return host === own || host === `localhost:${port}`;
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}

function headersFor({ places }: Desk): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src ${styleSource}`,
    `form-action 'self' ${new URL(places.githubUrl).origin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
    'content-security-policy': policy.join('; '),
    // The origin only: our addresses carry the key.
    'referrer-policy': 'strict-origin',
    'x-content-type-options': 'nosniff',
  };
}
