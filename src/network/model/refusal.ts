import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Dialect } from './providers.ts';

/** Why a request is not sent on. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 426 | 502 | 503;
  /** Without a name in front, and without a full stop. */
  readonly reason: string;
  /** Whether to try again helps, in seconds. */
  readonly retryAfterS?: number;
}

const names: Readonly<Record<Refusal['status'], { readonly anthropic: string; readonly gemini: string }>> = {
  400: { anthropic: 'invalid_request_error', gemini: 'INVALID_ARGUMENT' },
  401: { anthropic: 'authentication_error', gemini: 'UNAUTHENTICATED' },
  403: { anthropic: 'permission_error', gemini: 'PERMISSION_DENIED' },
  404: { anthropic: 'not_found_error', gemini: 'NOT_FOUND' },
  405: { anthropic: 'invalid_request_error', gemini: 'INVALID_ARGUMENT' },
  413: { anthropic: 'request_too_large', gemini: 'INVALID_ARGUMENT' },
  415: { anthropic: 'invalid_request_error', gemini: 'INVALID_ARGUMENT' },
  426: { anthropic: 'invalid_request_error', gemini: 'INVALID_ARGUMENT' },
  502: { anthropic: 'api_error', gemini: 'UNAVAILABLE' },
  503: { anthropic: 'overloaded_error', gemini: 'UNAVAILABLE' },
};

/**
 * Answers as the provider would, so that agents show it. Clients of these providers try again after 408, 409,
 * 429 and from 500 on, unless `x-should-retry` says otherwise.
 */
export function refuse(response: ServerResponse, dialect: Dialect, refusal: Refusal): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const { status, retryAfterS } = refusal;
  const text = JSON.stringify(bodyOf(dialect, refusal));
  const headers: OutgoingHttpHeaders = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-should-retry': String(retryAfterS !== undefined),
    ...(retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }),
    // The rest of a body is thrown away, so its connection cannot be used again.
    ...(response.req.complete ? {} : { connection: 'close' }),
    ...(status === 426 ? { upgrade: 'HTTP/1.1' } : {}),
  };
  response.writeHead(status, headers);
  response.end(text);
  response.req.resume();
}

function bodyOf(dialect: Dialect, { status, reason }: Refusal): object {
  const message = `Coxswain: ${reason}`;
  const { anthropic: type, gemini } = names[status];
  if (dialect === 'anthropic') return { type: 'error', error: { type, message } };
  if (dialect === 'gemini') return { error: { code: status, message, status: gemini } };
  return { error: { message, type, param: null, code: 'coxswain_refused' } };
}
