import type { Octokit } from '@octokit/rest';
import type { Priority } from './rate-limiter.ts';

/** A request as Octokit's hooks see it: the path is still a template, GraphQL has its query. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly query?: unknown;
}

/** The same in full. Octokit's own name for it, EndpointDefaults, is in a package we do not depend on. */
export type RequestOptions = Required<Octokit['request']['endpoint']['DEFAULTS']>;

/** What a request does, for counting and for errors: `GET /repos/{owner}/{repo}` or `mutation addComment`. */
export function routeOf(asked: Asked): string {
  if (isGraphql(asked)) return operationOf(asked);
  const path = asked.url.replace(/^https?:\/\/[^/]+(\/api\/v3)?/, '').replace(/\?.*$/s, '');
  return `${asked.method} ${path.replace(/\/\d+(?=\/|$)/g, '/{n}')}`;
}

export function priorityOf(asked: Asked): Priority {
  if (isGraphql(asked)) return operationOf(asked).startsWith('mutation') ? 'write' : 'read';
  if (asked.method === 'GET' || asked.method === 'HEAD') return 'read';
  return /\/reactions(\/|$)/.test(asked.url) ? 'acknowledgement' : 'write';
}

/**
 * Whether asking twice does no more than asking once. A comment whose answer was lost may exist;
 * so may a pull request or a check run: those are looked up by who wants them, not sent again.
 */
export function isRepeatable(asked: Asked): boolean {
  if (asked.method !== 'POST' || isGraphql(asked)) return true;
  return /\/(reactions|labels|access_tokens)$/.test(asked.url);
}

/** The App's own sign-in, needed by requests that already hold a place. */
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
