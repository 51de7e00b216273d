import { once } from 'node:events';
import {
  Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { endToEnd, replacing } from '../server/pass-through.ts';
import type { Provider } from './providers.ts';
import { Refused } from './refusal.ts';
import type { Meter } from './usage.ts';

/** A request to a provider, in the given time until connected, and until the answer begins. */
interface Outgoing {
  /** The name by which people know the provider: a gateway's own address may be nobody's business. */
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

/**
 * The headers that pass: what they change is in the answer, not in who pays, what is counted, or who else
 * learns of it.
 */
const passed = [
  ...['anthropic-beta', 'anthropic-dangerous-direct-browser-access', 'anthropic-version', 'openai-beta'],
  ...['originator', 'user-agent', 'x-app', 'x-client-request-id', 'x-goog-api-client'],
  ...['x-stainless-arch', 'x-stainless-helper-method', 'x-stainless-lang', 'x-stainless-os'],
  ...['x-stainless-package-version', 'x-stainless-retry-count', 'x-stainless-runtime'],
  ...['x-stainless-runtime-version', 'x-stainless-timeout'],
];

/** How many characters a header may have that passes. */
const longestValue = 2000;

/** What is sent to a provider: what passes of the client's headers, and our own. */
export function requestHeaders(
  headers: IncomingHttpHeaders,
  { credentials }: Provider,
  body: Buffer | undefined,
): OutgoingHttpHeaders {
  const kept = passed.flatMap((name): readonly (readonly [string, string])[] => {
    const value = headers[name];
    return typeof value === 'string' && isPlain(value) ? [[name, value]] : [];
  });
  const content = { 'content-type': 'application/json', 'content-length': body?.length ?? 0 };
  // Those of the client, and the one that our key needs.
  const { 'anthropic-beta': needed = '' } = credentials;
  const asked = Object.fromEntries(kept)['anthropic-beta'] ?? '';
  const betas = [needed, ...asked.split(',')].map((beta) => beta.trim()).filter((beta) => beta !== '');
  return {
    ...Object.fromEntries(kept),
    accept: 'application/json, text/event-stream',
    // What cannot be read cannot be counted.
    'accept-encoding': 'identity',
    ...(body === undefined ? {} : content),
    ...credentials,
    ...(needed === '' ? {} : { 'anthropic-beta': [...new Set(betas)].join(',') }),
  };
}

function isPlain(value: string): boolean {
  return value.length <= longestValue && /^[\x20-\x7e]*$/.test(value);
}

/** What would make the client keep something or go elsewhere. */
const dropped = ['set-cookie', 'set-cookie2', 'alt-svc', 'location', 'clear-site-data'];

/** What the client gets of a provider's headers. */
export function responseHeaders(
  answer: IncomingMessage,
  withoutKeys: (text: string) => string,
): OutgoingHttpHeaders {
  const kept = Object.entries(endToEnd(answer)).filter(([name]) => !dropped.includes(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      typeof value === 'string' ? withoutKeys(value) : value.map(withoutKeys),
    ]),
  );
}

interface RelayOptions {
  /** What must not be in it. */
  readonly keys: readonly string[];
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal;
  /** Absent where nothing is counted. */
  readonly meter?: Pick<Meter, 'write' | 'end'> | undefined;
  /** How long an answer is read to its end after the client went away, to learn what it used. */
  readonly readOnMs: number;
  /** How long the provider may say nothing, or the client not read. */
  readonly idleMs: number;
}

/**
 * Passes an answer on as it comes, and no faster than the client reads it. An answer that breaks off breaks
 * the client's connection too: it never looks complete. Resolves when nothing more comes, and never rejects.
 */
export async function relay(answer: IncomingMessage, response: ServerResponse, options: RelayOptions) {
  const { keys, gone, meter, readOnMs, idleMs } = options;
  const redacted = redactor(keys);
  let isUnread = false;
  // Without a client that reads, the answer is still read to learn what it used.
  const idle = setTimeout(() => (isUnread ? response : answer).destroy(), idleMs);
  let readOn: NodeJS.Timeout | undefined;
  const leave = () => {
    // Without a client there is nothing to wait for but what the answer used.
    readOn = setTimeout(() => answer.destroy(), meter === undefined ? 0 : readOnMs);
  };
  if (gone.aborted) leave();
  else gone.addEventListener('abort', leave, { once: true });
  try {
    for await (const chunk of answer) {
      idle.refresh();
      meter?.write(chunk);
      if (response.destroyed) continue;
      isUnread = !response.write(redacted.write(chunk));
      if (isUnread) await once(response, 'drain', { signal: gone }).catch(() => undefined);
      isUnread = false;
      idle.refresh();
    }
    meter?.end();
    response.end(redacted.end());
  } catch {
    response.destroy();
  } finally {
    gone.removeEventListener('abort', leave);
    clearTimeout(readOn);
    clearTimeout(idle);
  }
}

/** Shorter ones, such as the `none` of a gateway without keys, would also match ordinary words. */
const shortestKey = 6;

/**
 * Writes asterisks over each key in a stream, as many as it has bytes, so that lengths and the text around it
 * stay.
 */
export function redactor(keys: readonly string[]): ReturnType<typeof replacing> {
  const long = keys.filter((key) => key.length >= shortestKey).flatMap(spellings);
  return replacing(long.map((key) => [key, '*'.repeat(key.length)]));
}

/** A complete text with asterisks over each key. */
export function withoutKeys(text: string, keys: readonly string[]): string {
  const all = redactor(keys);
  return Buffer.concat([all.write(Buffer.from(text)), all.end()]).toString();
}

/** The key as it is, and as it may be written in JSON or an address. */
function spellings(key: string): readonly string[] {
  return [...new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)])];
}
