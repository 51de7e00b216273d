import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What to answer instead. */
export interface Refused {
  readonly code: number;
  readonly text: string;
}

interface Permission {
  /** Only what is below it may be read. */
  readonly upstream: URL;
  /** What requests must show, in their path or as a credential. */
  readonly access?: string | undefined;
}

/**
 * The path to ask an upstream for, if a program may: by GET or HEAD, and written so that nobody reads
 * another.
 */
export function permittedPath(
  { method = '', url = '', headers }: IncomingMessage,
  { upstream, access }: Permission,
): string | Refused {
  if (method !== 'GET' && method !== 'HEAD') {
    return { code: 405, text: `Coxswain: registries with a token can only be read, so no ${method}.` };
  }
  const key = access === undefined ? undefined : `/${access}/`;
  const shown = key !== undefined && url.startsWith(key);
  if (key !== undefined && !shown && !hasAccess(headers.authorization, access ?? '')) {
    return { code: 401, text: 'Coxswain: this is for one attempt of an agent only.' };
  }
  const path = shown ? url.slice(key.length - 1) : url;
  if (isPlain(path) && path.startsWith(upstream.pathname)) return path;
  return {
    code: 403,
    text: `Coxswain: only what is below ${upstream.pathname} can be read of this registry.`,
  };
}

/** Whether a path is in its only form: nothing in it climbs, and nothing is read as something else. */
function isPlain(path: string): boolean {
  const whole = `http://registry${path}`;
  if (!path.startsWith('/') || !URL.canParse(whole)) return false;
  const { pathname, search } = new URL(whole);
  return path === `${pathname}${search}` && !climbing.test(pathname);
}

/**
 * Some servers read %2f as a slash, which npm needs in names with a scope, and drop what follows a
 * semicolon.
 */
const climbing = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\;]|%2f|%5c|%3b|$)/i;

function hasAccess(header: string | undefined, access: string): boolean {
  const [scheme = '', credentials = ''] = header?.split(' ') ?? [];
  const basic = scheme.toLowerCase() === 'basic';
  const given = basic ? (Buffer.from(credentials, 'base64').toString().split(':')[1] ?? '') : credentials;
  const [one, other] = [Buffer.from(given), Buffer.from(access)];
  return one.length === other.length && timingSafeEqual(one, other);
}
