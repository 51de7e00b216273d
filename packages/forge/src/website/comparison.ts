import { gitOf } from '../context.ts';
import { type CommitRecord, type FileChange, listChanges, listCommits } from '../git/commits.ts';
import { zeroSha } from '../git/plumbing.ts';
import { notFound } from '../responses.ts';
import { commitCalled } from './refs.ts';
import type { RepositoryVisit } from './visit.ts';

/** Two commits, and where the second one left the first. */
export interface Comparison {
  base: string;
  head: string;
  baseSha: string;
  headSha: string;
  forkSha: string;
}

/** What `base...head` means. `base` is undefined for a branch that was created: there is nothing before it. */
export async function comparisonIn(
  visit: RepositoryVisit,
  range: string,
): Promise<Comparison | { created: string }> {
  const [base = '', head = ''] = range.split('...').map((name) => name.replace(/^[\w.-]+:/, ''));
  const headSha = await commitCalled(visit, head);
  if (headSha && zeroSha.startsWith(base) && base.length >= 7) return { created: headSha };
  const baseSha = await commitCalled(visit, base);
  if (!baseSha || !headSha) throw notFound();
  const forkSha = await gitOf(visit.context, visit.repository).mergeBase(baseSha, headSha);
  return { base, head, baseSha, headSha, forkSha: forkSha ?? baseSha };
}

type Ends = Pick<Comparison, 'baseSha' | 'headSha'>;

export function commitsBetween(visit: RepositoryVisit, { baseSha, headSha }: Ends): Promise<CommitRecord[]> {
  return cached(visit, `commits ${baseSha} ${headSha}`, () =>
    listCommits(gitOf(visit.context, visit.repository), [`${baseSha}..${headSha}`]),
  );
}

export function changesBetween(visit: RepositoryVisit, from: string, to: string): Promise<FileChange[]> {
  return cached(visit, `changes ${from} ${to}`, () =>
    listChanges(gitOf(visit.context, visit.repository), from, to),
  );
}

/** What lies between two commits never changes, and pages are read again and again. */
const caches = new WeakMap<object, Map<string, Promise<unknown>>>();
const maxCached = 50;

function cached<Value>(visit: RepositoryVisit, key: string, work: () => Promise<Value>): Promise<Value> {
  const cache = caches.get(visit.repository) ?? new Map<string, Promise<unknown>>();
  caches.set(visit.repository, cache);
  const known = cache.get(key);
  // The key begins with the kind of the value.
  if (known !== undefined) return known as Promise<Value>;
  const value = work();
  const [oldest] = cache.keys();
  if (cache.size >= maxCached && oldest !== undefined) cache.delete(oldest);
  cache.set(key, value);
  value.catch(() => cache.delete(key));
  return value;
}
