import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
  validateHeaderValue,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, Transform } from 'node:stream';
import type { Reach, Use } from '../../steering/settings.ts';
import { names, type Target, targetOf } from '../reach/reach.ts';
import { type BlockedHosts, refused } from '../reach/refused.ts';
import { respond } from '../server/bounded-server.ts';
import { type Door, openLoopbackDoor, openSocketDoor } from '../server/door.ts';
import { endToEnd } from '../server/headers.ts';
import { type Replacement, replacing } from '../server/replacing.ts';
import { hookedHeader } from '../tools/node-hook/routes.ts';
import type { Served } from '../tools/registry-settings.ts';
import { authorization, type Registry, type TokenRegistry, upstreamOf } from './registry.ts';

/** A registry at its port, which may do nothing but say that programs of this use may not reach it. */
export interface ServedOrNot extends Served {
  readonly allowed: boolean;
}

interface RegistryPlace {
  readonly use: Use;
  readonly reach: Reach;
  /** For its socket. */
  readonly folder: string;
  /** Without a sandbox. */
  readonly loopback?: boolean;
  readonly blocked: BlockedHosts;
  readonly port: number;
}

/** Opens the port of a registry with a token. */
export async function openRegistryDoor(registry: TokenRegistry, place: RegistryPlace) {
  const { use, folder, loopback = false, reach } = place;
  // Where other users of this machine could connect too.
  const access = loopback ? randomBytes(16).toString('hex') : undefined;
  const attended = registryDoor(registry, { ...(access !== undefined && { access }) });
  const target = targetOf(registry.host, 443) ?? { host: registry.host, port: 443 };
  const allowed = reach.some((entry) => entry === 'registries' || entry === 'open' || names(entry, target));
  const handlers = { request: allowed ? attended.listener : refusing(target, place) };
  const door = loopback
    ? await openLoopbackDoor(handlers)
    : await openSocketDoor(handlers, { folder, name: `${use}-${place.port}.sock`, port: place.port });
  attended.isAt(door.origin);
  const close = async (): Promise<void> => {
    await door.close();
    attended.close();
  };
  const served: ServedOrNot = {
    ...{ registry, origin: door.origin, allowed },
    ...(access !== undefined && { access }),
  };
  const opened: Door = { ...door, close };
  return { door: opened, served };
}

function refusing(target: Target, place: RegistryPlace): RequestListener {
  return (_, response) => respond(response, refused(target, 'unlisted', place));
}

export interface RegistryDoor {
  readonly listener: RequestListener;
  /** Says our own address, such as `http://127.0.0.1:3129`, by which programs reach the registry. */
  isAt(origin: string): void;
  close(): void;
}

export interface RegistryDoorOptions {
  /** What requests must show, in their path or as a credential, where others could connect too. */
  readonly access?: string;
}

/**
 * Answers as a registry of packages does, with the token that programs do not have: reads only, and only what
 * is below the registry's own address. Its token goes to nobody else: redirects are the program's matter, and
 * lead to us as long as they lead to the same host.
 */
export function registryDoor(registry: TokenRegistry, { access }: RegistryDoorOptions): RegistryDoor {
  const upstream = upstreamOf(registry);
  const secure = upstream.protocol === 'https:';
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 32 });
  const credentials = usableAuthorization(registry);
  let origin = '';
  const listener: RequestListener = (incoming, response) => {
    const path = permittedPath(incoming, { upstream, access });
    if (typeof path !== 'string') return refuse(response, path);
    const headers = {
      ...harmless(incoming),
      authorization: credentials,
      'accept-encoding': 'identity',
    };
    const request = secure ? httpsRequest : httpRequest;
    const outgoing = request(new URL(`${upstream.origin}${path}`), {
      method: incoming.method ?? 'GET',
      headers,
      agent,
    });
    incoming.resume();
    // With the hook, programs find us by the registry's own address, which then stays in lock files.
    const hooked = incoming.headers[hookedHeader] !== undefined;
    const back = { registry, path, origin: hooked ? `https://${registry.host}` : origin };
    send(outgoing, response, (reply) => passBack(reply, response, back));
  };
  const isAt = (address: string): void => {
    // Tools read addresses in an index as they are.
    origin = access === undefined || registry.kind === 'npm' ? address : `${address}/${access}`;
  };
  return { listener, isAt, close: () => agent.destroy() };
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

/** Neither credentials nor what could make the upstream take the request for another one. */
function harmless({ headers }: IncomingMessage): Record<string, string> {
  const all = passed.map((name) => [name, headers[name]]);
  return Object.fromEntries(all.filter(([, value]) => typeof value === 'string'));
}

/** No ranges: what is rewritten has another length. */
const passed = ['accept', 'user-agent', 'if-none-match', 'if-modified-since', 'disable-module-fetch'];

const idleMs = 120_000;

function send(
  outgoing: ClientRequest,
  response: ServerResponse,
  reply: (incoming: IncomingMessage) => void,
): void {
  outgoing.setTimeout(idleMs, () => outgoing.destroy(new Error('no answer in time')));
  outgoing.on('error', ({ message }) => {
    if (response.headersSent) response.destroy();
    else refuse(response, { code: 502, text: `Coxswain: could not reach the registry (${message}).` });
  });
  // Nobody asked for another protocol; without this Node would leave the program without an answer.
  outgoing.once('upgrade', () => outgoing.emit('error', new Error('another protocol')));
  outgoing.once('response', reply);
  response.once('close', () => outgoing.destroy());
  outgoing.end();
}

/** What to answer instead. */
export interface Refused {
  readonly code: number;
  readonly text: string;
}

interface Permission {
  /** Only what is below it may be read. */
  readonly upstream: URL;
  /** What requests must show, in their path or as a credential. */
  readonly access?: string | undefined;
}

/**
 * The path to ask an upstream for, if a program may: by GET or HEAD, and written so that nobody reads
 * another.
 */
export function permittedPath(
  { method = '', url = '', headers }: IncomingMessage,
  { upstream, access }: Permission,
): string | Refused {
  if (method !== 'GET' && method !== 'HEAD') {
    return { code: 405, text: `Coxswain: registries with a token can only be read, so no ${method}.` };
  }
  const key = access === undefined ? undefined : `/${access}/`;
  const shown = key !== undefined && url.startsWith(key);
  if (key !== undefined && !shown && !hasAccess(headers.authorization, access ?? '')) {
    return { code: 401, text: 'Coxswain: this is for one attempt of an agent only.' };
  }
  const path = shown ? url.slice(key.length - 1) : url;
  if (isPlain(path) && path.startsWith(upstream.pathname)) return path;
  return {
    code: 403,
    text: `Coxswain: only what is below ${upstream.pathname} can be read of this registry.`,
  };
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
  const [one, other] = [Buffer.from(given), Buffer.from(access)];
  return one.length === other.length && timingSafeEqual(one, other);
}

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
  const rewritten = replacing(rewrites);
  const rewriting = new Transform({
    transform: (chunk: Buffer, _, done) => done(null, rewritten.write(chunk)),
    flush: (done) => done(null, rewritten.end()),
  });
  // An error of either side ends both.
  pipeline(reply, rewriting, response, () => undefined);
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
