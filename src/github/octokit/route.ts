import type { Octokit } from '@octokit/rest';
import type { Priority } from './rate-limiter.ts';

/** A request as Octokit's hooks see it: the path is still a template, and GraphQL has its query. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly query?: unknown;
  /** Of a check run. */
  readonly output?: unknown;
  readonly request?: Readonly<Record<string, unknown>>;
}

/** For a request that is an answer to someone without write access, as one of its parameters. */
export const lastOfAll = { request: { comesLast: true } } as const;

/** The full options. Octokit's own type, EndpointDefaults, is in a package we do not depend on. */
export type RequestOptions = Required<Octokit['request']['endpoint']['DEFAULTS']>;

/** Names a request in counts and errors: `GET /repos/{owner}/{repo}` or `mutation addComment`. */
export function routeOf(asked: Asked): string {
  if (isGraphql(asked)) return operationOf(asked);
  const path = asked.url.replace(/^https?:\/\/[^/]+(\/api\/v3)?/, '').replace(/\?.*$/s, '');
  return `${asked.method} ${path.replace(/\/\d+(?=\/|$)/g, '/{n}')}`;
}

export function priorityOf(asked: Asked): Priority {
  if (isGraphql(asked)) return operationOf(asked).startsWith('mutation') ? 'write' : 'read';
  if (asked.method === 'GET' || asked.method === 'HEAD') return 'read';
  if (asked.request?.['comesLast'] === true) return 'last';
  return /\/reactions(\/|$)/.test(asked.url) ? 'acknowledgement' : 'write';
}

/**
 * Whether a request is idempotent. After a lost answer, a comment, pull request or check run may exist, and
 * annotations may have been appended; those are looked up by their caller rather than sent again.
 */
export function isRepeatable(asked: Asked): boolean {
  if (typeof asked.output === 'object' && asked.output !== null && 'annotations' in asked.output)
    return false;
  if (asked.method !== 'POST' || isGraphql(asked)) return true;
  return /\/(reactions|labels|access_tokens)$/.test(asked.url);
}

/** The App's own sign-in, which requests need that already hold a slot. */
export function isSignIn({ url }: Asked): boolean {
  return url.endsWith('/access_tokens');
}

export function isGraphql({ url }: Asked): boolean {
  return url.endsWith('/graphql');
}

function operationOf({ query }: Asked): string {
  const found = /(query|mutation)?[^{]*\{\s*(\w+)/.exec(typeof query === 'string' ? query : '');
  return `${found?.[1] ?? 'query'} ${found?.[2] ?? 'unnamed'}`;
}
