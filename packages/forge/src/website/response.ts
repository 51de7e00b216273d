import { revalidated, securityHeaders } from '../../../../src/html/response.ts';
import type { ForgeResponse } from '../requests.ts';
import type { Html } from './html.ts';

/** A page; without an ETag one that the browser must not keep. */
export function documentResponse(status: number, document: Html, etag?: string): ForgeResponse {
  const caching =
    etag === undefined ? { ...securityHeaders, 'cache-control': 'no-store' } : revalidated(etag, 'cookie');
  return { status, headers: { ...caching, 'content-type': 'text/html; charset=utf-8' }, body: document.text };
}

/** A file as it is: never as a page, whatever is in it. */
export function rawResponse(content: string | Buffer, type = 'text/plain; charset=utf-8'): ForgeResponse {
  const headers = {
    ...securityHeaders,
    'content-security-policy': "default-src 'none'; sandbox",
    'content-type': type,
    'cache-control': 'no-store',
  };
  return { status: 200, headers, body: content };
}
