import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, git, type Remote } from '../git/git.ts';
import { inside, readObjects } from '../git/objects.ts';
import { type LedgerHead, parseHead } from './parse.ts';
import { ledgerRef, type RefNamespace } from './refs.ts';

/** Creates the bare repository of a ledger. It contains nothing that is not on the remote. */
export async function makeDirectory(dir: string): Promise<void> {
  if (existsSync(join(dir, 'HEAD'))) return;
  await git(['init', '--quiet', '--bare', '--template=', dir]);
}

export async function remakeDirectory(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true });
  await makeDirectory(dir);
}

/** Fetches the newest commit of a run's ledger, without its history; undefined if there is no ledger. */
export async function fetchHead(
  dir: string,
  remote: Remote,
  number: number,
): Promise<LedgerHead | undefined> {
  // `open` is fetched twice because the run may be reopened between the first two requests.
  for (const namespace of ['open', 'closed', 'open'] as const) {
    if (await fetchRef(dir, remote, ledgerRef(namespace, number))) return readHead(dir, namespace, number);
  }
  return undefined;
}

/** False if the remote has no such ref. */
export async function fetchRef(dir: string, remote: Remote, ref: string): Promise<boolean> {
  const command = ['fetch', '--quiet', '--depth=1', '--no-tags', '--no-write-fetch-head', remote.url];
  try {
    await git([...command, `+${ref}:${ref}`], { ...inside(dir), remote });
    return true;
  } catch (cause) {
    if (cause instanceof GitError && /couldn't find remote ref/.test(cause.stderr)) return false;
    throw cause;
  }
}

/** Reads a fetched ledger. */
export async function readHead(dir: string, namespace: RefNamespace, number: number): Promise<LedgerHead> {
  const ref = ledgerRef(namespace, number);
  const names = [ref, `${ref}:state.json`, `${ref}:events.jsonl`];
  const [commit, state, log] = await readObjects(dir, names);
  if (commit === undefined) throw new Error(`could not read ${ref} in ${dir}`);
  const raw = { commit: commit.sha, namespace, object: commit.content };
  return parseHead({ ...raw, state: state?.content, log: log?.content }, number);
}
