import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from './providers.ts';

/** Why a request is not sent on. */
export interface Refusal {
  readonly status: keyof typeof names;
  /** It has no name in front, and no full stop. */
  readonly reason: string;
  /** Whether to try again helps, in seconds. */
  readonly retryAfterS?: number;
  /** The provider may have received the whole request, and answered it to nobody. */
  readonly mayHaveBegun?: boolean;
}

export class Refused extends Error {
  override name = 'Refused';
  readonly refusal: Refusal;

  constructor(status: Refusal['status'], reason: string, more: Partial<Refusal> = {}) {
    super(reason);
    this.refusal = { ...more, status, reason };
  }
}

/** What Anthropic and Gemini call it; others speak of it as Anthropic does. */
const names = {
  400: ['invalid_request_error', 'INVALID_ARGUMENT'],
  401: ['authentication_error', 'UNAUTHENTICATED'],
  403: ['permission_error', 'PERMISSION_DENIED'],
  404: ['not_found_error', 'NOT_FOUND'],
  413: ['request_too_large', 'INVALID_ARGUMENT'],
  415: ['invalid_request_error', 'INVALID_ARGUMENT'],
  426: ['invalid_request_error', 'INVALID_ARGUMENT'],
  502: ['api_error', 'UNAVAILABLE'],
  503: ['overloaded_error', 'UNAVAILABLE'],
} as const;

/**
 * Answers as the provider would, so that agents show it. Clients of these providers try again after 408, 409,
 * 429 and from 500 on, unless `x-should-retry` says otherwise.
 */
export function refuse(response: ServerResponse, dialect: Provider['dialect'], refusal: Refusal): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const { status, retryAfterS } = refusal;
  const text = JSON.stringify(bodyOf(dialect, refusal));
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-should-retry': String(retryAfterS !== undefined),
    ...(retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }),
    // The rest of a body is thrown away, so its connection cannot be used again.
    ...(response.req.complete ? {} : { connection: 'close' }),
    ...(status === 426 ? { upgrade: 'HTTP/1.1' } : {}),
  });
  response.end(text);
  response.req.resume();
}

function bodyOf(dialect: Provider['dialect'], { status, reason }: Refusal): object {
  const message = `Coxswain: ${reason}`;
  const [type, gemini] = names[status];
  if (dialect === 'anthropic') return { type: 'error', error: { type, message } };
  if (dialect === 'gemini') return { error: { code: status, message, status: gemini } };
  return { error: { message, type, param: null, code: 'coxswain_refused' } };
}

interface Refusing extends Pick<IncomingMessage, 'statusCode' | 'headers'> {
  /** How it begins. */
  readonly body: string;
}

/** Each says when one limit of several is full again; `remaining` names what tells whether it is used up. */
const resets: readonly { readonly name: string; readonly remaining?: string }[] = [
  { name: 'anthropic-ratelimit-unified-reset' },
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((what) => ({
    name: `anthropic-ratelimit-${what}-reset`,
    remaining: `anthropic-ratelimit-${what}-remaining`,
  })),
  ...['requests', 'tokens'].map((what) => ({
    name: `x-ratelimit-reset-${what}`,
    remaining: `x-ratelimit-remaining-${what}`,
  })),
];

/**
 * When a provider that does not answer for now answers again, in milliseconds since 1970; undefined if it
 * does not say so. `retry-after` is RFC 9110's, `retryDelay` in the body is Google's, the others are those of
 * Anthropic and OpenAI: https://cloud.google.com/apis/design/errors#error_details,
 * https://docs.anthropic.com/en/api/rate-limits and https://platform.openai.com/docs/guides/rate-limits
 */
export function limitedUntil({ statusCode = 0, headers, body }: Refusing, now: number): number | undefined {
  if (statusCode !== 429 && statusCode < 500) return undefined;
  const delay = /"retryDelay"\s*:\s*"(?<text>[\d.]{1,20}s)"/.exec(body)?.groups?.['text'];
  const asked = momentIn(textOf(headers, 'retry-after') ?? delay, now);
  const times = resets.flatMap(({ name, remaining }) => {
    const isUsedUp = remaining === undefined || Number(textOf(headers, remaining) ?? 0) === 0;
    return isUsedUp ? (momentIn(textOf(headers, name), now) ?? []) : [];
  });
  const until = asked ?? (times.length > 0 ? Math.max(...times) : undefined);
  return until === undefined || until <= now ? undefined : until;
}

function textOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  return [headers[name]].flat()[0];
}

/** What a header says as seconds from now or since 1970, as `6m0s`, or as a date. */
function momentIn(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(text)) {
    const seconds = Number(text);
    return seconds > 1_000_000_000 ? seconds * 1000 : now + seconds * 1000;
  }
  const duration = /^(?:(?<h>\d{1,4})h)?(?:(?<m>\d{1,6})m(?!s))?(?:(?<s>\d{1,7}(?:\.\d{1,9})?)s)?$/.exec(
    text,
  );
  if (duration?.groups !== undefined && text !== '') {
    const { h = 0, m = 0, s = 0 } = duration.groups;
    return now + (Number(h) * 3600 + Number(m) * 60 + Number(s)) * 1000;
  }
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date;
}
