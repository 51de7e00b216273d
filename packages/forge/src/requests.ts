import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';

/** A request as it arrived, before its token is looked at. */
export interface ForgeRequest {
  /** `git` is Git's smart HTTP; `page` is what a browser asks for. */
  kind: 'api' | 'git' | 'page';
  method: string;
  /** With its query, and without `/api/v3`. */
  path: string;
  headers: IncomingHttpHeaders;
  /** Unpacked where it came compressed. */
  body: Buffer;
}

export interface ForgeResponse {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

/** What happens to a request: it is answered, or the connection is cut. */
export type HookResult = ForgeResponse | 'drop';

/**
 * Stands before the forge. `next` has the request carried out: whoever does not call it answers in its place,
 * and whoever waits before or after it delays the answer.
 */
export type RequestHook = (request: ForgeRequest, next: () => Promise<HookResult>) => Promise<HookResult>;

/** What became of a request that was carried out. */
export interface HandledRequest {
  response: ForgeResponse;
  /** As the log tells it: the pattern of an API route, `git`, or `none`. */
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
