import { accountPages } from './pages/account.ts';
import { attachmentPages } from './pages/attachment.ts';
import { blobPages } from './pages/blob.ts';
import { checkPages } from './pages/checks.ts';
import { codePages } from './pages/code.ts';
import { commitPages } from './pages/commits.ts';
import { comparePages } from './pages/compare.ts';
import { editPages } from './pages/edit.ts';
import { issuePages } from './pages/issue.ts';
import { issueListPages } from './pages/issues.ts';
import { plainPages } from './pages/plain.ts';
import { pullPages } from './pages/pull.ts';
import { pullPartPages } from './pages/pull-parts.ts';
import type { PageRoute, Params } from './visit.ts';

const routes: readonly PageRoute[] = [
  ...accountPages,
  ...attachmentPages,
  ...plainPages,
  ...issuePages,
  ...issueListPages,
  ...pullPages,
  ...pullPartPages,
  ...checkPages,
  ...editPages,
  ...blobPages,
  ...commitPages,
  ...comparePages,
  ...codePages,
];

export interface Matched {
  route: PageRoute;
  params: Params;
}

/** The first kind of page whose path this is. */
export function matchPage(path: string): Matched | undefined {
  for (const route of routes) {
    const groups = route.pattern.exec(path)?.groups;
    const params = groups && decoded(groups);
    if (params) return { route, params };
  }
  return undefined;
}

/** Undefined if something is not encoded as in addresses, or could never be the name of a file. */
function decoded(groups: Record<string, string | undefined>): Params | undefined {
  try {
    const entries = Object.entries(groups).map(([name, value = '']) => [name, decodeURIComponent(value)]);
    return entries.some(([, value]) => value?.includes('\0')) ? undefined : Object.fromEntries(entries);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
