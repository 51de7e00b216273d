import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Checks that a request has our host name and a session, and that a form comes from our own pages. */
export interface Guard {
  /** The request names our host: another name that resolves to our address is DNS rebinding. */
  isOurHost(request: IncomingMessage): boolean;
  /** The request comes from one of our own pages (CSRF). */
  isOurOrigin(request: IncomingMessage): boolean;
  isKey(text: string): boolean;
  hasSession(request: Pick<IncomingMessage, 'headers'>): boolean;
  /** The `Set-Cookie` of a new session. */
  sessionCookie(): string;
}

/** The session is derived from the key, so it survives a restart that keeps the key. */
export function createGuard({ key, origin }: { key: string; origin(): string }): Guard {
  if (key === '') throw new Error('could not guard the page: its key is empty');
  const session = createHmac('sha256', key).update('coxswain page session').digest('hex');
  // All ports of a host share cookies, so two Apps need two names.
  const name = () => `coxswain_${new URL(origin()).port || 'session'}`;
  return {
    isOurHost: (request) => request.headers.host === new URL(origin()).host,
    isOurOrigin: (request) => request.headers.origin === new URL(origin()).origin,
    isKey: (text) => isSame(text, key),
    hasSession: (request) => cookiesOf(request, name()).some((value) => isSame(value, session)),
    sessionCookie: () => {
      const secure = new URL(origin()).protocol === 'https:' ? '; Secure' : '';
      return `${name()}=${session}; HttpOnly; SameSite=Strict; Path=/${secure}`;
    },
  };
}

function cookiesOf(request: Pick<IncomingMessage, 'headers'>, name: string): readonly string[] {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}

/** In constant time: digests have one length, and do not reveal where two texts differ. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
