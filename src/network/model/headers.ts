import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { endToEnd } from '../server/headers.ts';
import type { Provider } from './providers.ts';
import type { Target } from './routes.ts';

/** Whether a request carries the dummy key, in any place where clients of the providers put theirs. */
export function carriesKey(headers: IncomingHttpHeaders, { query }: Target, dummyKey: string): boolean {
  const { authorization = '', 'x-api-key': apiKey, 'x-goog-api-key': googleKey } = headers;
  const bearer = /^bearer +(?<token>\S+)$/i.exec(authorization)?.groups?.['token'];
  return [bearer, apiKey, googleKey, ...query.getAll('key')].some(
    (given) => typeof given === 'string' && isSame(given, dummyKey),
  );
}

/** In a time that does not depend on how much is right. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
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

/** In characters. */
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
