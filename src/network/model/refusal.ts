import type { ServerResponse } from 'node:http';
import type { Provider } from './providers.ts';

/** Why a request is not sent on. */
export interface Refusal {
  readonly status: keyof typeof names;
  /** Without a name in front, and without a full stop. */
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
