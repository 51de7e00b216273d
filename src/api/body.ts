import { readBytes, TooBusy, TooLarge, TooSlow } from '../http/body.ts';
import { ByteBudget } from '../http/byte-budget.ts';
import { later, Problem } from './problem.ts';
import type { SignedIn } from './routes.ts';

const maxBytes = 1024 * 1024;

/** What all bodies that are being read may hold together, and how long one may take, in milliseconds. */
const maxHeldBytes = 32 * 1024 * 1024;
const withinMs = 10_000;

/**
 * Reads the body of whoever is signed in, within bounds, before anything else reads it. Without a body, there
 * are no fields.
 */
export function limitedBody(): SignedIn {
  const budget = new ByteBudget(maxHeldBytes);
  return async (c, next) => {
    const bytes = await readBytes(c.env.incoming, { maxBytes, budget, withinMs }).catch((fault: unknown) => {
      throw problemOfBody(fault);
    });
    const headers = new Headers(c.req.raw.headers);
    if (bytes.length === 0) headers.set('content-type', 'application/json');
    const body = bytes.length === 0 ? '{}' : new Uint8Array(bytes);
    const { method, signal } = c.req.raw;
    c.req.raw = new Request(c.req.url, { method, headers, body, signal });
    await next();
  };
}

function problemOfBody(fault: unknown): unknown {
  if (fault instanceof TooLarge)
    return new Problem(
      413,
      `The body has more than ${maxBytes} bytes, or too many pieces: send a smaller one.`,
    );
  if (fault instanceof TooSlow)
    return new Problem(408, 'The body did not arrive within 10 seconds: send it again.');
  if (fault instanceof TooBusy)
    return new Problem(503, 'Too many bodies are being read: send it again in a moment.', later(5));
  return fault;
}
