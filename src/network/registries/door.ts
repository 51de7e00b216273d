import { randomBytes } from 'node:crypto';
import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
  validateHeaderValue,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, Transform } from 'node:stream';
import { isSameSecret } from '../../http/incoming-request.ts';
import { names, targetOf } from '../reach/reach.ts';
import { type Access, refused } from '../reach/refused.ts';
import { type Answer, type Door, type DoorPlace, openDoor, respond } from '../server/bounded-server.ts';
import { endToEnd, type Replacement, replacing } from '../server/pass-through.ts';
import { authorization, hookedHeader, type Served, type TokenRegistry, upstreamOf } from './registry.ts';

/**
 * Opens the port of a registry with a token, which may do nothing but say that programs of this use may not
 * reach it. It answers as the registry does, with the token that programs do not have: reads only, and only
 * what is below the registry's own address. Its token goes to nobody else: redirects are the program's matter,
 * and lead to us as long as they lead to the same host.
 */
export async function openRegistryDoor(
  registry: TokenRegistry,
  place: DoorPlace & Access,
): Promise<{ readonly door: Door; readonly served: Served }> {
  const { reach, loopback = false } = place;
  const target = targetOf(registry.host, 443) ?? { host: registry.host, port: 443 };
  const allowed = reach.some((entry) => entry === 'registries' || entry === 'open' || names(entry, target));
  const asking = askingOf(registry);
  // Where other users of this machine could connect too.
  const access = loopback ? randomBytes(16).toString('hex') : undefined;
  const served = { registry, allowed, origin: '', ...(access !== undefined && { access }) };
  const door = await openDoor(
    {
      request(incoming, response) {
        if (allowed) pass(incoming, response, { served, asking });
        else respond(response, refused(target, 'unlisted', place));
      },
    },
    place,
  );
  served.origin = door.origin;
  const close = async (): Promise<void> => {
    await door.close();
    asking.agent.destroy();
  };
  return { door: { ...door, close }, served };
}

/** How a registry is asked. */
function askingOf(registry: TokenRegistry) {
  const secure = upstreamOf(registry).protocol === 'https:';
  return {
    request: secure ? httpsRequest : httpRequest,
    agent: new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 32 }),
    credentials: usableAuthorization(registry),
  };
}

function usableAuthorization(registry: TokenRegistry): string {
  const value = authorization(registry);
  try {
    validateHeaderValue('authorization', value);
  } catch {
    // Its message is kept out of logs, whatever it says.
    throw new Error(`the token for ${registry.host} has a character that no request may have`);
  }
  return value;
}

const idleMs = 120_000;

function pass(
  incoming: IncomingMessage,
  response: ServerResponse,
  { served, asking }: { readonly served: Served; readonly asking: ReturnType<typeof askingOf> },
): void {
  const path = permittedPath(incoming, served);
  if (typeof path !== 'string') return void respond(response, path);
  const { request, agent, credentials } = asking;
  const outgoing = request(new URL(`${upstreamOf(served.registry).origin}${path}`), {
    method: incoming.method ?? 'GET',
    headers: { ...harmless(incoming), authorization: credentials, 'accept-encoding': 'identity' },
    agent,
  });
  incoming.resume();
  outgoing.setTimeout(idleMs, () => outgoing.destroy(new Error('no answer in time')));
  outgoing.on('error', ({ message }) => {
    const text = `Coxswain: could not reach the registry (${message}).`;
    if (response.headersSent) response.destroy();
    else respond(response, { status: '502 Bad Gateway', text });
  });
  // Nobody asked for another protocol; without this Node would leave the program without an answer.
  outgoing.once('upgrade', () => outgoing.emit('error', new Error('another protocol')));
  // With the hook, programs find us by the registry's own address, which then stays in lock files.
  const hooked = incoming.headers[hookedHeader] !== undefined;
  const origin = hooked ? `https://${served.registry.host}` : shownOrigin(served);
  outgoing.once('response', (reply) => passBack(reply, response, { ...served, origin, path }));
  response.once('close', () => outgoing.destroy());
  outgoing.end();
}

/** Tools read addresses in an index as they are. */
function shownOrigin({ registry, origin, access }: Served): string {
  return access === undefined || registry.kind === 'npm' ? origin : `${origin}/${access}`;
}

/** No ranges: what is rewritten has another length. */
const passed = ['accept', 'user-agent', 'if-none-match', 'if-modified-since', 'disable-module-fetch'];

/** Neither credentials nor what could make the upstream take the request for another one. */
function harmless({ headers }: IncomingMessage): Record<string, string> {
  const all = passed.map((name) => [name, headers[name]]);
  return Object.fromEntries(all.filter(([, value]) => typeof value === 'string'));
}

/**
 * The path to ask an upstream for, if a program may: by GET or HEAD, and written so that nobody reads
 * another. Else what to answer instead.
 */
function permittedPath(
  { method = '', url = '', headers }: IncomingMessage,
  { registry, access }: Served,
): string | Answer {
  if (method !== 'GET' && method !== 'HEAD') {
    const text = `Coxswain: registries with a token can only be read, so no ${method}.`;
    return { status: '405 Method Not Allowed', text };
  }
  const shown = access !== undefined && url.startsWith(`/${access}/`);
  if (access !== undefined && !shown && !hasAccess(headers.authorization, access))
    return { status: '401 Unauthorized', text: 'Coxswain: this is for one attempt of an agent only.' };
  const path = shown ? url.slice(access.length + 1) : url;
  const { pathname } = upstreamOf(registry);
  if (isPlain(path) && path.startsWith(pathname)) return path;
  const text = `Coxswain: only what is below ${pathname} can be read of this registry.`;
  return { status: '403 Forbidden', text };
}

/** Whether a path is in its only form: nothing in it climbs, and nothing is read as something else. */
function isPlain(path: string): boolean {
  const whole = `http://registry${path}`;
  if (!path.startsWith('/') || !URL.canParse(whole)) return false;
  const { pathname, search } = new URL(whole);
  return path === `${pathname}${search}` && !climbing.test(pathname);
}

/**
 * Some servers read %2f as a slash, which npm needs in names with a scope, and drop what follows a
 * semicolon.
 */
const climbing = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\;]|%2f|%5c|%3b|$)/i;

function hasAccess(header: string | undefined, access: string): boolean {
  const [scheme = '', credentials = ''] = header?.split(' ') ?? [];
  const basic = scheme.toLowerCase() === 'basic';
  const given = basic ? (Buffer.from(credentials, 'base64').toString().split(':')[1] ?? '') : credentials;
  return isSameSecret(given, access);
}

/** A registry as a program calls it, and what was asked for. */
interface Back extends Served {
  readonly path: string;
}

/** Passes on what a registry answers, leading to us where it leads to the registry. */
function passBack(reply: IncomingMessage, response: ServerResponse, back: Back): void {
  const rewrites = rewritesOf(reply, back);
  const headers = Object.entries(endToEnd(reply)).filter(
    ([name]) => name !== 'set-cookie' && (name !== 'content-length' || rewrites.length === 0),
  );
  const location = locationOf(reply, back);
  response.writeHead(reply.statusCode ?? 502, { ...Object.fromEntries(headers), ...location });
  const rewritten = replacing(rewrites);
  const rewriting = new Transform({
    transform: (chunk: Buffer, _, done) => done(null, rewritten.write(chunk)),
    flush: (done) => done(null, rewritten.end()),
  });
  // An error of either side ends both.
  pipeline(reply, rewriting, response, () => undefined);
}

function locationOf({ headers: { location } }: IncomingMessage, { registry, origin }: Back) {
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
  const isIndex =
    kind === 'npm' || kind === 'pypi'
      ? /json|html/i.test(type)
      : kind === 'cargo' && path.endsWith('/config.json');
  if (!isIndex) return [];
  const { host } = upstreamOf(registry);
  const addresses = [`https://${host}/`, `http://${host}/`].flatMap((from) => [
    [from, `${origin}/`] as const,
    [from.replaceAll('/', '\\/'), `${origin}/`] as const,
  ]);
  if (kind !== 'cargo') return addresses;
  const asking = [':', ': '].map((colon) => `"auth-required"${colon}`);
  return [...addresses, ...asking.map((key) => [`${key}true`, `${key}false`] as const)];
}
