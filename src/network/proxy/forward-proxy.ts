import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { allows, type Known, type Target, targetOf } from '../reach/reach.ts';
import { type Access, refused } from '../reach/refused.ts';
import { type Answer, answer, type Door, respond } from '../server/bounded-server.ts';
import { endToEnd } from '../server/pass-through.ts';
import { codeOf, dial, dialOwn, PrivateAddress, type Resolve } from './dial.ts';

export interface ProxyOptions extends Access {
  readonly known: Known;
  /** How to find the addresses of a host. */
  readonly resolve: (host: string, isPrivate: boolean) => ReturnType<Resolve>;
  /** Programs may reach these by their addresses: they are our own. */
  readonly doors: readonly Door[];
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
  const socket = await reach(target, options, program);
  if (!(socket instanceof Socket)) return answer(program, socket);
  if (program.destroyed) return void socket.destroy();
  program.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (head.length > 0) socket.write(head);
  tunnel(program, socket, options);
}

/** Sends a plain request on, whose address is one such as `http://example.org/`. */
export async function passOn(request: IncomingMessage, response: ServerResponse, options: ProxyOptions) {
  const address = request.url ?? '';
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const authority = /^http:\/\/([^/?#]*)/i.exec(address)?.[1] ?? '';
  const target = targetOf(authority, 80);
  if (url === undefined || target === undefined) return respond(response, badTarget);
  const socket = await reach(target, options, response);
  if (!(socket instanceof Socket)) return respond(response, socket);
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

/** A connection to a permitted host, or what to answer instead, unless whoever asks closes theirs. */
async function reach(target: Target, options: ProxyOptions, asking: Writable): Promise<Socket | Answer> {
  const closed = new AbortController();
  asking.once('close', () => closed.abort());
  const { signal } = closed;
  const own = isLoopback(target) ? options.doors.find(({ port }) => port === target.port) : undefined;
  if (own?.shortPath !== undefined) return dialOwn(own.shortPath, signal);
  const verdict = allows(options.reach, target, options.known);
  if (!verdict.allowed) return refused(target, verdict.why, options);
  const { private: isPrivate } = verdict;
  const resolve: Resolve = (host) => options.resolve(host, isPrivate);
  try {
    return await dial(target, { private: isPrivate, resolve, signal, timeoutMs: options.connectMs });
  } catch (fault) {
    return fault instanceof PrivateAddress ? refused(target, 'private', options) : unreachable(target, fault);
  }
}

/** Programs that ignore `NO_PROXY` come to us for what is ours: models, and registries with a token. */
function isLoopback({ host }: Target): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(host);
}

function unreachable({ host, port }: Target, fault: unknown) {
  const code = codeOf(fault) ?? 'no usable answer';
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
