import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { endToEnd } from '../server/headers.ts';
import type { Refused } from './path.ts';
import { type Registry, upstreamOf } from './registry.ts';
import { type Replacement, replacing } from './replacing.ts';

export interface Back {
  readonly registry: Registry;
  /** Our own address. */
  readonly origin: string;
  /** What was asked for. */
  readonly path: string;
}

/** Passes on what a registry answers, leading to us where it leads to the registry. */
export function passBack(reply: IncomingMessage, response: ServerResponse, back: Back): void {
  const rewrites = rewritesOf(reply, back);
  const headers = Object.entries(endToEnd(reply)).filter(
    ([name]) => name !== 'set-cookie' && (name !== 'content-length' || rewrites.length === 0),
  );
  const location = locationOf(reply, back);
  response.writeHead(reply.statusCode ?? 502, { ...Object.fromEntries(headers), ...location });
  // An error of either side ends both.
  pipeline(reply, replacing(rewrites), response, () => undefined);
}

function locationOf(
  { headers: { location } }: IncomingMessage,
  { registry, origin }: Back,
): { location?: string } {
  const upstream = upstreamOf(registry);
  if (location === undefined || !URL.canParse(location, upstream.href)) return {};
  const target = new URL(location, upstream);
  return target.host === upstream.host ? { location: `${origin}${target.pathname}${target.search}` } : {};
}

/**
 * Addresses in an index lead to us too, where tools read them there: downloads of npm and PyPI, and the
 * configuration of a registry for cargo, which would ask for a token.
 */
function rewritesOf({ headers }: IncomingMessage, { registry, origin, path }: Back): readonly Replacement[] {
  const type = headers['content-type'] ?? '';
  const { kind } = registry;
  const index = kind === 'npm' || kind === 'pypi' ? /json|html/i.test(type) : path.endsWith('/config.json');
  if (!index || (kind !== 'npm' && kind !== 'pypi' && kind !== 'cargo')) return [];
  const { host } = upstreamOf(registry);
  const addresses = [`https://${host}/`, `http://${host}/`].flatMap((from) => [
    [from, `${origin}/`] as const,
    [from.replaceAll('/', '\\/'), `${origin}/`] as const,
  ]);
  if (kind !== 'cargo') return addresses;
  const asking = [':', ': '].map((colon) => `"auth-required"${colon}`);
  return [...addresses, ...asking.map((key) => [`${key}true`, `${key}false`] as const)];
}

/** Answers by ourselves. */
export function refuse(response: ServerResponse, { code, text }: Refused): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`${text}\n`);
}
