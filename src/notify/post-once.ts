import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { codeOf, dial, PrivateAddress, type Resolve } from '../network/proxy/dial.ts';
import type { Posting, Refused } from './target-message.ts';

/** How the host of a target is found and trusted. */
export interface Way {
  readonly resolve: (host: string, isPrivate: boolean) => ReturnType<Resolve>;
  /** Certificates that are trusted instead of the usual ones. */
  readonly ca?: string;
  /** Everything has to be done in this time, from looking up the name to the end of the answer. */
  readonly withinMs: number;
}

interface PostOptions extends Way {
  /** The host may have a private address. */
  readonly private: boolean;
  readonly signal: AbortSignal;
}

/** How much of an answer is read. */
const maxAnswerBytes = 64 * 1024;

/**
 * Posts to an address of the operator's, once: its name is resolved once, the very address that was looked at
 * is dialled, and no redirect is followed. Never throws. An address may be a secret, so only its host is
 * told.
 */
export async function post(
  posting: Posting,
  options: PostOptions,
): Promise<Refused | { readonly answer: string }> {
  const url = new URL(posting.url);
  const late = AbortSignal.timeout(options.withinMs);
  const signal = AbortSignal.any([options.signal, late]);
  let socket: Socket | undefined;
  try {
    socket = await reach(url, { ...options, signal });
    const response = await respondedTo(socket, { ...posting, url, signal });
    const { statusCode = 0 } = response;
    const answer = await beginningOf(response);
    return statusCode >= 200 && statusCode <= 299 ? { answer } : refusalOf(statusCode, url, answer);
  } catch (fault) {
    const reason = late.aborted
      ? `did not answer within ${options.withinMs / 1000} seconds`
      : faultText(fault, options);
    return { outcome: 'refused', reason: `${url.host} ${reason}`, forGood: false };
  } finally {
    socket?.destroy();
  }
}

/** A connection on which HTTP is spoken. */
async function reach(url: URL, { resolve, ca, private: isPrivate, ...times }: PostOptions): Promise<Socket> {
  const isTls = url.protocol === 'https:';
  // An address of IPv6 has brackets only in a URL.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (isTls ? 443 : 80);
  const socket = await dial(
    { host, port },
    {
      resolve: (name) => resolve(name, isPrivate),
      ...{ private: isPrivate, signal: times.signal, timeoutMs: times.withinMs },
    },
  );
  if (!isTls) return socket;
  const secure = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca && { ca }),
  });
  // An error may come before anybody else listens.
  return secure.on('error', () => undefined).once('close', () => socket.destroy());
}

async function respondedTo(
  socket: Socket,
  { url, body, headers, signal }: Omit<Posting, 'url'> & { readonly url: URL; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const outgoing = request({
    createConnection: () => socket,
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    headers: {
      ...headers,
      ...{ host: url.host, connection: 'close', 'user-agent': 'Coxswain' },
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    },
    signal,
  });
  // Stays: an error may come after the answer.
  outgoing.on('error', () => undefined);
  const [response] = await once(outgoing.end(body), 'response', { signal });
  return response;
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxAnswerBytes) break;
    }
  } catch {
    // Whoever has said that all is well has taken the message, whatever becomes of the rest of the answer.
  }
  return Buffer.concat(chunks).toString();
}

/** Slack says why in a word, such as `no_service`; of whatever else is answered, nobody needs to read. */
function refusalOf(status: number, { host }: URL, answer: string): Refused {
  const isRedirect = status >= 300 && status <= 399;
  const isGone = status === 410;
  const [word] = /^[a-z]+(?:_[a-z]+){1,4}$/.exec(answer.slice(0, 60).trim()) ?? [];
  const why = word === undefined ? '' : ` (${word})`;
  const meaning = isRedirect ? ', a redirect, which is not followed' : isGone ? ': it is gone' : '';
  return { outcome: 'refused', reason: `${host} answered ${status}${why}${meaning}`, forGood: isGone };
}

function faultText(fault: unknown, { signal }: PostOptions): string {
  if (signal.aborted) return 'had not answered when Coxswain was stopped';
  if (fault instanceof PrivateAddress) return 'leads to a private address, which needs `private: true`';
  return `gave no usable answer (${codeOf(fault) ?? 'no reason given'})`;
}
