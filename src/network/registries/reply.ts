import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { endToEnd } from '../server/headers.ts';
import type { Refused } from './path.ts';
import { type TokenRegistry, upstreamOf } from './registry.ts';
import { type Replacement, replacing } from './replacing.ts';
import { showsToken } from './token-mask.ts';

export interface Back {
  readonly registry: TokenRegistry;
  readonly mask: readonly Replacement[];
  /** Our own address. */
  readonly origin: string;
  /** What was asked for. */
  readonly path: string;
}

/** Passes on what a registry answers, without the token and leading to us where it leads to the registry. */
export function passBack(reply: IncomingMessage, response: ServerResponse, back: Back): void {
  const decoded = hasBody(reply, response) ? decodedBody(reply) : reply;
  if (decoded === undefined) {
    reply.destroy();
    return void refuse(response, unknownCompression);
  }
  const rewrites = rewritesOf(reply, back);
  const headers = Object.entries(endToEnd(reply)).filter(([name, value]) => {
    if (name === 'set-cookie' || name === 'content-encoding') return false;
    if (name === 'content-length' && (rewrites.length > 0 || decoded !== reply)) return false;
    return !showsToken(back.registry, String(value));
  });
  const location = locationOf(reply, back);
  response.writeHead(reply.statusCode ?? 502, { ...Object.fromEntries(headers), ...location });
  // An error of either side ends both.
  pipeline(decoded, replacing([...back.mask, ...rewrites]), response, () => undefined);
}

const unknownCompression: Refused = {
  code: 502,
  text: 'Coxswain: the registry compressed its answer in an unknown way.',
};

function hasBody({ statusCode = 0, headers }: IncomingMessage, { req }: ServerResponse): boolean {
  return (
    req.method !== 'HEAD' && statusCode !== 204 && statusCode !== 304 && headers['content-length'] !== '0'
  );
}

const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Without its compression, in which a token would not be found; undefined: of an unknown kind. */
function decodedBody(reply: IncomingMessage): Readable | undefined {
  const encoding = reply.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return reply;
  const decoder = decoders.get(encoding);
  return decoder === undefined ? undefined : pipeline(reply, decoder(), () => undefined);
}

/** None where the registry has put the token into it, such as into a signed address. */
function locationOf(
  { headers: { location } }: IncomingMessage,
  { registry, origin }: Back,
): { location?: string } {
  const upstream = upstreamOf(registry);
  if (location === undefined || showsToken(registry, location)) return {};
  if (!URL.canParse(location, upstream.href)) return {};
  const target = new URL(location, upstream);
  if (target.host !== upstream.host) return {};
  return { location: `${origin}${target.pathname}${target.search}` };
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
    [from, `${origin}/`],
    [from.replaceAll('/', '\\/'), `${origin}/`],
  ]);
  const noToken = [':', ': '].map((colon) => [`"auth-required"${colon}true`, `"auth-required"${colon}false`]);
  const all = kind === 'cargo' ? [...addresses, ...noToken] : addresses;
  return all.map(([find = '', put = '']) => ({ find: Buffer.from(find), put: Buffer.from(put) }));
}

/** Answers by ourselves. */
export function refuse(response: ServerResponse, { code, text }: Refused): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`${text}\n`);
}
