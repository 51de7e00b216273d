import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { refusalHeader } from '../forwarder/refusals.ts';

/** A short answer of our own. */
export interface Answer {
  /** Such as `403 Forbidden`. */
  readonly status: string;
  /** For a person who reads a program's output. */
  readonly text: string;
  /** The number of a refusal; the forwarder looks for it. */
  readonly blocked?: string;
}

/** Answers on a connection that Node's HTTP server has handed over, as it does after CONNECT; closes it. */
export function answer(socket: Duplex, { status, text, blocked }: Answer): void {
  const body = `${text}\n`;
  const headers = [
    `HTTP/1.1 ${status}`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...(blocked === undefined ? [] : [`${refusalHeader}: ${blocked}`]),
    'connection: close',
  ];
  if (!socket.writable) return void socket.destroy();
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`);
  // What else the program sends is read and dropped, or it might not read our answer.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** How long a program has to close its side. */
const lingerMs = 5_000;

/** The same as the response to a request, after which the connection is closed. */
export function respond(response: ServerResponse, { status, text, blocked }: Answer): void {
  const [, code = '', message = ''] = /^(\d+) (.*)$/.exec(status) ?? [];
  response.writeHead(Number(code), message, {
    'content-type': 'text/plain; charset=utf-8',
    connection: 'close',
    ...(blocked !== undefined && { [refusalHeader]: blocked }),
  });
  response.end(`${text}\n`);
}
