import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Lets in only requests to our own address, of a browser that was shown the key, from our own pages. */
export interface Guard {
  /** The request names our host; anything else is another site's name that points here (DNS rebinding). */
  isOurHost(request: IncomingMessage): boolean;
  /** The request comes from one of our own pages (CSRF). */
  isOurOrigin(request: IncomingMessage): boolean;
  isKey(given: string): boolean;
  hasSession(request: IncomingMessage): boolean;
  /** The `Set-Cookie` of a new session. */
  sessionCookie(): string;
}

/** The session is a function of the key: it outlives a restart with the same key, and no other. */
export function createGuard({ key, origin }: { key: string; origin(): string }): Guard {
  if (key === '') throw new Error('could not guard the page: its key is empty');
  const session = createHmac('sha256', key).update('coxswain page session').digest('hex');
  // Cookies are shared by all ports of a host, so the name tells two Apps apart.
  const name = () => `coxswain_${new URL(origin()).port || 'session'}`;
  return {
    isOurHost: (request) => request.headers.host === new URL(origin()).host,
    isOurOrigin: (request) => request.headers.origin === new URL(origin()).origin,
    isKey: (given) => same(given, key),
    hasSession: (request) => cookiesOf(request, name()).some((value) => same(value, session)),
    sessionCookie: () => {
      const secure = new URL(origin()).protocol === 'https:' ? '; Secure' : '';
      return `${name()}=${session}; HttpOnly; SameSite=Strict; Path=/${secure}`;
    },
  };
}

function cookiesOf(request: IncomingMessage, name: string): readonly string[] {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
}

/** In constant time: digests are of one length, and tell nothing of where two texts differ. */
function same(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
