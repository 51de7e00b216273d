import { createHash } from 'node:crypto';
import type { ForgeResponse } from '../requests.ts';
import type { Html } from './html.ts';

/** Nothing from elsewhere, nothing inline, and no framing. */
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

const security = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  // With `no-referrer` browsers would send `Origin: null` with our own forms.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

export function documentResponse(status: number, document: Html, etag?: string): ForgeResponse {
  const headers = { ...security, 'content-type': 'text/html; charset=utf-8', ...caching(etag) };
  return { status, headers, body: document.text };
}

/** The browser already shows this. */
export function unchanged(etag: string): ForgeResponse {
  return { status: 304, headers: { ...security, ...caching(etag) }, body: '' };
}

function caching(etag: string | undefined): Record<string, string> {
  if (etag === undefined) return { 'cache-control': 'no-store' };
  return { etag, 'cache-control': 'private, no-cache', vary: 'cookie' };
}

/** After a form: the browser continues with a GET. */
export function seeOther(location: string): ForgeResponse {
  return { status: 303, headers: { ...security, location, 'cache-control': 'no-store' }, body: '' };
}

/** A file as it is: never as a page, whatever is in it. */
export function rawResponse(content: string | Buffer): ForgeResponse {
  const headers = {
    ...security,
    'content-security-policy': "default-src 'none'; sandbox",
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
  };
  return { status: 200, headers, body: content };
}

export interface Asset {
  type: string;
  text: string;
}

/** The path of an asset contains a hash of its content, so browsers may keep it forever. */
export function assetResponse({ type, text }: Asset): ForgeResponse {
  const headers = {
    ...security,
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
  };
  return { status: 200, headers, body: text };
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 20);
}
