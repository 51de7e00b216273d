import { type Context, fullName } from '../context.ts';
import type { Json } from '../json.ts';
import type { Repository } from '../model.ts';

/** GitHub's opaque global ids; ours say what they are inside. */
export function nodeId(kind: string, id: number | string): string {
  return Buffer.from(`${kind}:${id}`).toString('base64url');
}

export function nodeIdParts(node_id: string): { kind: string; id: string } {
  const [kind = '', id = ''] = Buffer.from(node_id, 'base64url').toString('utf8').split(':', 2);
  return { kind, id };
}

/** The address of something of a repository in the API. */
export function apiLink(context: Context, repository: Repository, path = ''): string {
  return `${context.apiUrl}/repos/${fullName(context, repository)}${path}`;
}

/** The address of something of a repository in a browser. */
export function htmlLink(context: Context, repository: Repository, path = ''): string {
  return `${context.url}/${fullName(context, repository)}${path}`;
}

export function hrefs(links: Record<string, string>): Json {
  return Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }]));
}
