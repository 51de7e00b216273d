import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Reach, Use } from '../../steering/settings.ts';
import { allows, type Known, type Target, targetOf } from '../reach/reach.ts';
import { type BlockedHosts, refused } from '../reach/refused.ts';
import { answer, respond } from '../server/bounded-server.ts';
import { endToEnd } from '../server/headers.ts';
import { dial, dialOwn, PrivateAddress, type Resolve } from './dial.ts';

export interface ProxyOptions {
  readonly use: Use;
  readonly reach: Reach;
  readonly known: Known;
  readonly blocked: BlockedHosts;
  /** How to find the addresses of a host. */
  readonly resolve: (host: string, isPrivate: boolean) => ReturnType<Resolve>;
  /** Our own sockets, by the ports that lead to them. */
  readonly own: ReadonlyMap<number, string>;
  readonly connectMs: number;
  readonly idleMs: number;
}

/** CONNECT: a tunnel to a permitted host. `head` is what the program sent before it had our answer. */
export async function connectThrough(
  request: IncomingMessage,
  program: Socket,
  { head, ...options }: ProxyOptions & { readonly head: Buffer },
): Promise<void> {
  const target = targetOf(request.url ?? '');
  if (target === undefined) return answer(program, badTarget);
  const aborted = new AbortController();
  program.once('close', () => aborted.abort());
  const reached = await reach(target, options, aborted.signal);
  if (!('socket' in reached)) return answer(program, reached.answer);
  const { socket } = reached;
  if (program.destroyed) return void socket.destroy();
  program.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (head.length > 0) socket.write(head);
  tunnel(program, socket, options);
}

/** A plain request to an address such as `http://example.org/`. */
export async function passOn(request: IncomingMessage, response: ServerResponse, options: ProxyOptions) {
  const address = request.url ?? '';
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const authority = /^http:\/\/([^/?#]*)/i.exec(address)?.[1] ?? '';
  const target = targetOf(authority, 80);
  if (url === undefined || target === undefined) return respond(response, badTarget);
  const aborted = new AbortController();
  response.once('close', () => aborted.abort());
  const reached = await reach(target, options, aborted.signal);
  if (!('socket' in reached)) return respond(response, reached.answer);
  const { socket } = reached;
  if (response.destroyed) return void socket.destroy();
  socket.setTimeout(options.idleMs, () => socket.destroy(new Error('idle for too long')));
  const outgoing = httpRequest({
    createConnection: () => socket,
    method: request.method ?? 'GET',
    path: `${url.pathname}${url.search}`,
    headers: {
      ...endToEnd(request),
      host: target.port === 80 ? target.host : authority,
      connection: 'close',
    },
  });
  const fail = (fault: unknown): void => {
    if (response.headersSent) response.destroy();
    else respond(response, unreachable(target, fault));
  };
  outgoing.on('error', fail);
  // Nobody asked for another protocol; without this Node would leave the program without an answer.
  outgoing.on('upgrade', () => fail(undefined));
  outgoing.on('response', (incoming) => passBack(incoming, response));
  response.once('close', () => outgoing.destroy());
  request.pipe(outgoing);
}

function passBack(incoming: IncomingMessage, response: ServerResponse): void {
  incoming.on('error', () => response.destroy());
  try {
    response.writeHead(incoming.statusCode ?? 502, endToEnd(incoming));
  } catch {
    // A header that Node itself does not write.
    return void respond(response, oddHeader);
  }
  incoming.pipe(response);
}

type Reached = { readonly socket: Socket } | { readonly answer: Parameters<typeof answer>[1] };

/** A connection to a permitted host, or what to answer instead. */
async function reach(target: Target, options: ProxyOptions, signal: AbortSignal): Promise<Reached> {
  const own = isLoopback(target) ? options.own.get(target.port) : undefined;
  if (own !== undefined) return { socket: await dialOwn(own, signal) };
  const verdict = allows(options.reach, target, options.known);
  if (!verdict.allowed) return { answer: refused(target, verdict.why, options) };
  const { private: isPrivate } = verdict;
  const resolve: Resolve = (host) => options.resolve(host, isPrivate);
  try {
    return {
      socket: await dial(target, { private: isPrivate, resolve, signal, timeoutMs: options.connectMs }),
    };
  } catch (fault) {
    if (fault instanceof PrivateAddress) return { answer: refused(target, 'private', options) };
    return { answer: unreachable(target, fault) };
  }
}

/** Programs that ignore `NO_PROXY` come to us for what is ours: models, and registries with a token. */
function isLoopback({ host }: Target): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(host);
}

function unreachable({ host, port }: Target, fault: unknown) {
  const cause = fault instanceof Error && fault.cause instanceof Error ? fault.cause : fault;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no usable answer';
  return { status: '502 Bad Gateway', text: `Coxswain: could not reach ${host}:${port} (${code}).` };
}

const oddHeader = { status: '502 Bad Gateway', text: 'Coxswain: the host sent an odd header.' };
const badTarget = { status: '400 Bad Request', text: 'Coxswain: the request names no host and port.' };

/**
 * Passes everything between a program and a host until both are closed. The end of one direction leaves the
 * other one open; an error of one socket, or of nothing happening for too long, closes both.
 */
export function tunnel(program: Socket, host: Socket, { idleMs }: { readonly idleMs: number }): void {
  for (const [one, other] of [
    [program, host],
    [host, program],
  ] as const) {
    one.on('error', () => other.destroy());
    one.setTimeout(idleMs, () => one.destroy());
    one.once('end', () => {
      for (const each of [one, other]) each.setTimeout(Math.min(idleMs, halfOpenMs));
    });
    // After an orderly end, what was read is still being written to the other socket.
    one.once('close', () => {
      if (!one.readableEnded) other.destroy();
    });
  }
  host.pipe(program);
  program.pipe(host);
}

/** How long the other direction may then be silent. */
const halfOpenMs = 60_000;
