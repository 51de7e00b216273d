import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Asset } from './assets.ts';
import { fragmentType } from './fragment-type.ts';
import type { Html } from './html.ts';
import { renderDocument, renderFragment, type View } from './views/layout.ts';

/** A request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Nothing from other sites, nothing inline, and no framing. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const securityHeaders = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  // With `no-referrer` browsers would send `Origin: null` with our own forms.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Whether the page's script asks, which needs only the `<main>`. */
export function isForScript({ headers }: IncomingMessage): boolean {
  return headers.accept === fragmentType;
}

/** The whole page, or only its `<main>` for the page's script; 304 if the browser already has it. */
export function sendView({ request, response }: Exchange, status: number, view: View): void {
  const isFragment = isForScript(request);
  const { text }: Html = isFragment ? renderFragment(view) : renderDocument(view);
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 24)}"`;
  const headers = { ...securityHeaders, etag, 'cache-control': 'private, no-cache', vary: 'accept, cookie' };
  if (status === 200 && request.headers['if-none-match'] === etag) {
    response.writeHead(304, headers).end();
    return;
  }
  const type = isFragment ? fragmentType : 'text/html';
  response.writeHead(status, { ...headers, 'content-type': `${type}; charset=utf-8` }).end(text);
}

/** An asset's path contains a hash of its content, so browsers may cache it forever. */
export function sendAsset({ response }: Exchange, { type, text }: Asset): void {
  const headers = { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' };
  response.writeHead(200, { ...securityHeaders, ...headers }).end(text);
}

/** What is sent next are events, which nobody on the way may keep back. */
export function startEvents({ response }: Exchange): void {
  const headers = {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    connection: 'close',
  };
  response.writeHead(200, { ...securityHeaders, ...headers });
}

/** After a form or a key: the browser continues with a GET. */
export function redirect({ response }: Exchange, path: string, headers: Record<string, string> = {}): void {
  response
    .writeHead(303, { ...securityHeaders, ...headers, location: path, 'cache-control': 'no-store' })
    .end();
}
