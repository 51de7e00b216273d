import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { Refused } from './refusal.ts';

/** A request to a provider, in the given time until connected, and until the answer begins. */
interface Outgoing {
  /** As people know the provider: a gateway's own address may be nobody's business. */
  readonly host: string;
  readonly url: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | undefined;
  readonly connectMs: number;
  readonly idleMs: number;
}

/**
 * A connection for each request: one that was kept could be closed by the provider just when it is used
 * again, and a request that is then sent twice may be paid for twice.
 */
const plain = { ask: request, agent: new Agent({ keepAlive: false }) };
const tls = { ask: tlsRequest, agent: new TlsAgent({ keepAlive: false }) };

/**
 * Sends a request; resolves as soon as the answer begins. Rejects with `Refused` if there is none that can be
 * passed on, or with the signal's reason.
 */
export async function send(outgoing: Outgoing, signal: AbortSignal): Promise<IncomingMessage> {
  signal.throwIfAborted();
  const answer = await answerTo(outgoing, signal);
  const problem = problemWith(answer);
  if (problem === undefined) return answer;
  answer.destroy();
  const mayHaveBegun = (answer.statusCode ?? 0) < 300;
  throw new Refused(502, `${outgoing.host} ${problem}`, { mayHaveBegun });
}

function answerTo(
  { host, url, headers, body, connectMs, idleMs }: Outgoing,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isPlain = new URL(url).protocol === 'http:';
    const { ask, agent } = isPlain ? plain : tls;
    const sending = ask(url, { method: body === undefined ? 'GET' : 'POST', headers, signal, agent });
    let isConnected = false;
    const failAfter = (ms: number, what: string) =>
      setTimeout(
        () => sending.destroy(Object.assign(new Error(), { code: `${what} within ${ms / 1000} s` })),
        ms,
      );
    const connecting = failAfter(connectMs, 'no connection');
    const idle = failAfter(idleMs, 'no answer');
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
    sending.on('error', ({ code = 'the connection failed' }: NodeJS.ErrnoException) => {
      const reason = `${host} could not be reached: ${code}`;
      reject(signal.aborted ? signal.reason : new Refused(502, reason, { mayHaveBegun: isConnected }));
    });
    sending.end(body);
  });
}

/** A redirect is an answer like any other to Node. */
function problemWith({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  if (statusCode >= 300 && statusCode < 400)
    return `answered with a redirect (${statusCode}), which is not followed`;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return undefined;
  return `answered with the encoding ${JSON.stringify(encoding.slice(0, 40))}, which was not asked for`;
}
