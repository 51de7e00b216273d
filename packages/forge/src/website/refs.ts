import { encodedPath } from '../payloads/links.ts';
import { notFound } from '../responses.ts';
import type { RepositoryVisit } from './visit.ts';

export interface Branch {
  name: string;
  sha: string;
}

export function branchesOf(visit: RepositoryVisit): Promise<Branch[]> {
  return refsUnder(visit, 'refs/heads/');
}

async function refsUnder({ git }: RepositoryVisit, prefix: string): Promise<Branch[]> {
  return (await git.refs(prefix)).map(({ ref, sha }) => ({ sha, name: ref.slice(prefix.length) }));
}

/** A commit with the name by which somebody asks for it, and a path in it. */
export interface Place {
  /** A branch, a tag or the beginning of a commit's id. */
  ref: string;
  sha: string;
  isBranch: boolean;
  /** Empty for the root. */
  path: string;
}

/** Splits `topic/one/src/a.ts` where the name of a branch ends; throws a 404 if there is no such commit. */
export async function placeIn(visit: RepositoryVisit, rest: string): Promise<Place> {
  const text = rest.replace(/\/+$/, '');
  for (const prefix of ['refs/heads/', 'refs/tags/']) {
    const found = (await refsUnder(visit, prefix)).find(
      ({ name }) => text === name || text.startsWith(`${name}/`),
    );
    if (!found) continue;
    const sha = await commitCalled(visit, found.name);
    const path = text.slice(found.name.length + 1);
    if (sha) return { ref: found.name, sha, isBranch: prefix === 'refs/heads/', path };
  }
  const [ref = '', ...path] = text.split('/');
  const sha = await commitCalled(visit, ref);
  if (!sha) throw notFound();
  return { ref, sha, isBranch: false, path: path.join('/') };
}

/** The commit of a branch, a tag or (the beginning of) an id; no other expression of Git's. */
export async function commitCalled(visit: RepositoryVisit, name: string): Promise<string | undefined> {
  const { git } = visit;
  if (name === 'HEAD') return git.ref(`refs/heads/${visit.repository.default_branch}`);
  const isRef = (await git.attempt(['check-ref-format', `refs/heads/${name}`])).code === 0;
  return isRef ? git.commit(name) : undefined;
}

/** The address of a file or folder in a commit. */
export function codePath(at: string, kind: 'blob' | 'tree' | 'raw' | 'edit', { ref, path }: PathAt): string {
  return `${at}/${kind}/${encodedPath(ref)}${path === '' ? '' : `/${encodedPath(path)}`}`;
}

type PathAt = Pick<Place, 'ref' | 'path'>;
