import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';

/** A request to a provider. */
export interface Outgoing {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | undefined;
}

export interface Timeouts {
  /** Until connected. */
  readonly connectMs: number;
  /** Until the answer begins. */
  readonly idleMs: number;
  /** A connection that was idle and breaks within this time of being used again was already closed. */
  readonly staleMs: number;
}

/** The provider did not answer. The message names no address: a gateway's may be nobody's business. */
export class Unreachable extends Error {
  override name = 'Unreachable';
  /** It may have received the whole request, and answered it to nobody. */
  readonly mayHaveBegun: boolean;

  constructor(message: string, options: ErrorOptions & { readonly mayHaveBegun: boolean }) {
    super(message, options);
    this.mayHaveBegun = options.mayHaveBegun;
  }
}

const agents = {
  'http:': new Agent({ keepAlive: true }),
  'https:': new TlsAgent({ keepAlive: true }),
};

/**
 * Sends a request; resolves as soon as the answer begins. A redirect is an answer like any other. Throws
 * `Unreachable`, or the signal's reason.
 */
export async function send(
  outgoing: Outgoing,
  timeouts: Timeouts,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  try {
    return await attempt(outgoing, timeouts, signal);
  } catch (fault) {
    // The provider closed an idle connection at the moment at which we used it again.
    if (fault instanceof StaleConnection) return attempt(outgoing, timeouts, signal);
    throw fault;
  }
}

class StaleConnection extends Error {
  override name = 'StaleConnection';
}

function attempt(outgoing: Outgoing, timeouts: Timeouts, signal: AbortSignal): Promise<IncomingMessage> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const sending = begin(outgoing);
    const onAbort = () => sending.destroy();
    signal.addEventListener('abort', onAbort, { once: true });
    const end = () => signal.removeEventListener('abort', onAbort);
    const limited = withTimeouts(sending, timeouts);
    const began = performance.now();
    sending.on('response', (answer) => {
      answer.on('close', end);
      resolve(answer);
    });
    sending.on('error', (cause: NodeJS.ErrnoException) => {
      end();
      if (signal.aborted) return reject(signal.reason);
      // Later it may have been working on the request: sent again, it would be paid for twice.
      const isEarly = performance.now() - began < timeouts.staleMs;
      if (sending.reusedSocket && isEarly && (cause.code === 'ECONNRESET' || cause.code === 'EPIPE'))
        return reject(new StaleConnection('', { cause }));
      const mayHaveBegun = limited.isConnected();
      reject(
        new Unreachable(limited.reason() ?? cause.code ?? 'the connection failed', { cause, mayHaveBegun }),
      );
    });
    sending.end(outgoing.body);
  });
}

function begin({ url, method, headers }: Outgoing): ClientRequest {
  const { protocol } = new URL(url);
  if (protocol === 'http:') return request(url, { method, headers, agent: agents['http:'] });
  return tlsRequest(url, { method, headers, agent: agents['https:'] });
}

/** Ends a request that takes too long; says why. */
function withTimeouts(sending: ClientRequest, { connectMs, idleMs }: Timeouts) {
  let isConnected = false;
  let reason: string | undefined;
  const fail = (why: string) => {
    reason = why;
    sending.destroy(new Error(why));
  };
  const timer = setTimeout(() => fail(`no connection within ${connectMs / 1000} s`), connectMs);
  const idle = setTimeout(() => fail(`no answer within ${idleMs / 1000} s`), idleMs);
  const connected = () => {
    isConnected = true;
    clearTimeout(timer);
  };
  sending.on('socket', (socket) => {
    if (sending.reusedSocket) return connected();
    socket.once('connect', () => {
      if (!('encrypted' in socket)) connected();
    });
    socket.once('secureConnect', connected);
  });
  sending.on('response', () => clearTimeout(idle));
  sending.on('close', () => {
    clearTimeout(timer);
    clearTimeout(idle);
  });
  return { isConnected: () => isConnected, reason: () => reason };
}
