import { type Context, fullName } from '../context.ts';
import type { Json, Repository } from '../model.ts';

/** A global node id. GitHub's are opaque; these encode the kind and the id. */
export function nodeId(kind: string, id: number | string): string {
  return Buffer.from(`${kind}:${id}`).toString('base64url');
}

export function nodeIdParts(node_id: string): { kind: string; id: string } {
  const [kind = '', id = ''] = Buffer.from(node_id, 'base64url').toString('utf8').split(':', 2);
  return { kind, id };
}

/** The API URL of a path in a repository. */
export function apiLink(context: Context, repository: Repository, path = ''): string {
  return `${context.apiUrl}/repos/${fullName(context, repository)}${path}`;
}

/** The browser URL of a path in a repository. */
export function htmlLink(context: Context, repository: Repository, path = ''): string {
  return `${context.url}/${fullName(context, repository)}${path}`;
}

/** The path of a file or branch in an address, where `#`, `?` and `%` would mean something else. */
export function encodedPath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

export function hrefs(links: Record<string, string>): Json {
  return Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }]));
}
