import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';

/** A request as received, before authentication. */
export interface ForgeRequest {
  /** `git` is Git's smart HTTP protocol; `page` is a request of a browser. */
  kind: 'api' | 'git' | 'page';
  method: string;
  /** With the query, without `/api/v3`. */
  path: string;
  headers: IncomingHttpHeaders;
  /** Decompressed if it was compressed. */
  body: Buffer;
}

export interface ForgeResponse {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

/** The outcome of a request: a response, or a dropped connection. */
export type HookResult = ForgeResponse | 'drop';

/**
 * Runs before each request. `next` processes the request and returns the forge's response. A hook that does
 * not call it responds instead of the forge; a hook may also wait before or after it.
 */
export type RequestHook = (request: ForgeRequest, next: () => Promise<HookResult>) => Promise<HookResult>;

/** The outcome of a request that the forge processed. */
export interface HandledRequest {
  response: ForgeResponse;
  /** As in the log: the API route, `git`, or `none`. */
  route: string;
  actor: string;
}

/** The path without `/api/v3`, which only Enterprise Server has; api.github.com has no prefix. */
export function apiPath({ pathname }: URL): string {
  return pathname.replace(/^\/api\/v3(?=\/|$)/, '').replace(/^\/api(?=\/graphql$)/, '') || '/';
}

export async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const packed = incoming.headers['content-encoding'] === 'gzip';
  const chunks: Buffer[] = [];
  for await (const chunk of packed ? incoming.pipe(createGunzip()) : incoming)
    chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
