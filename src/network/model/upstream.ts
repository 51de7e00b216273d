import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
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

/**
 * A connection for each request: one that was kept could be closed by the provider just when it is used
 * again, and a request that is then sent twice may be paid for twice.
 */
const agents = { plain: new Agent({ keepAlive: false }), tls: new TlsAgent({ keepAlive: false }) };

/**
 * Sends a request; resolves as soon as the answer begins. A redirect is an answer like any other. Rejects
 * with `Unreachable`, or with the signal's reason.
 */
export async function send(
  { url, body, ...options }: Outgoing,
  { connectMs, idleMs }: Timeouts,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const isPlain = new URL(url).protocol === 'http:';
    const sending = isPlain
      ? request(url, { ...options, signal, agent: agents.plain })
      : tlsRequest(url, { ...options, signal, agent: agents.tls });
    let isConnected = false;
    const fail = (code: string) => sending.destroy(Object.assign(new Error(code), { code }));
    const connecting = setTimeout(() => fail(`no connection within ${connectMs / 1000} s`), connectMs);
    const idle = setTimeout(() => fail(`no answer within ${idleMs / 1000} s`), idleMs);
    sending.on('socket', (socket) => {
      socket.once(isPlain ? 'connect' : 'secureConnect', () => {
        isConnected = true;
        clearTimeout(connecting);
      });
    });
    sending.on('response', (answer) => {
      clearTimeout(idle);
      resolve(answer);
    });
    sending.on('close', () => {
      clearTimeout(connecting);
      clearTimeout(idle);
    });
    sending.on('error', (cause: NodeJS.ErrnoException) => {
      const message = cause.code ?? 'the connection failed';
      reject(signal.aborted ? signal.reason : new Unreachable(message, { cause, mayHaveBegun: isConnected }));
    });
    sending.end(body);
  });
}
