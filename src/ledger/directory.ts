import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, git, ObjectDamaged, type Remote } from '../git/git.ts';
import { inside, readObjects, sizesOf } from '../git/objects.ts';
import { pushRefusalOf } from '../git/push-refusal.ts';
import { LedgerBroken } from './errors.ts';
import { type LedgerHead, type LedgerIdentity, parseHead } from './parse.ts';
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

/**
 * Works in such a directory, which may be deleted or damaged at any time. Whatever Git could not do there, be
 * it because of a torn file that nobody has foreseen, is tried once more in a new one.
 */
export async function inSoundDirectory<T>(
  dir: string,
  work: () => Promise<T>,
  remake = () => remakeDirectory(dir),
): Promise<T> {
  await makeDirectory(dir);
  try {
    return await work();
  } catch (cause) {
    if (!isOfDirectory(cause)) throw cause;
    await remake();
    return work();
  }
}

/** Whether Git failed here: neither the network nor the remote did, and it was more than the answer "no". */
export function isOfDirectory(fault: unknown): boolean {
  if (fault instanceof ObjectDamaged) return true;
  if (!(fault instanceof GitError) || fault.exitCode === null) return false;
  return fault.stderr !== '' && pushRefusalOf(fault) === undefined;
}

/** Fetches the newest commit of a run's ledger, without its history; undefined if there is no ledger. */
export async function fetchHead(
  dir: string,
  remote: Remote,
  identity: LedgerIdentity,
): Promise<LedgerHead | undefined> {
  // `open` is fetched twice because the run may be reopened between the first two requests.
  for (const namespace of ['open', 'closed', 'open'] as const) {
    if (await fetchRef(dir, remote, ledgerRef(namespace, identity.number)))
      return readHead(dir, namespace, identity);
  }
  return undefined;
}

/** Anyone with write access can push any amount of data: a pack that we fetch is refused above this size. */
export const maxPackBytes = 64 * 1024 * 1024;

/** Whether a fetch was ended because of its size or its duration, and may have left parts of packs. */
export function wasEnded(fault: unknown): fault is GitError {
  return fault instanceof GitError && (fault.exitCode === null || isTooLarge(fault));
}

/** SIGXFSZ, which has this number on Linux and macOS. */
function isTooLarge({ message, stderr }: GitError): boolean {
  return /died of signal 25|File too large/.test(stderr) || /killed by SIGXFSZ/.test(message);
}

/** False if the remote has no such ref. Throws `LedgerBroken` if it has more than any ledger of ours. */
export async function fetchRef(dir: string, remote: Remote, ref: string): Promise<boolean> {
  const command = ['fetch', '--quiet', '--depth=1', '--no-tags', '--no-write-fetch-head', remote.url];
  try {
    await git([...command, `+${ref}:${ref}`], {
      ...inside(dir),
      remote,
      maxFileBytes: maxPackBytes,
    });
    return true;
  } catch (cause) {
    if (cause instanceof GitError && /couldn't find remote ref/.test(cause.stderr)) return false;
    if (wasEnded(cause)) await remakeDirectory(dir);
    if (cause instanceof GitError && isTooLarge(cause))
      throw new LedgerBroken(`${ref}: it is larger than ${maxPackBytes} bytes`, { cause });
    throw cause;
  }
}

/** More than a state or a log of ours ever has: a ledger's files are kept within 10 MiB. */
const maxBytes = 32 * 1024 * 1024;

/** Reads a fetched ledger. Anyone with write access may have pushed it, so sizes come before contents. */
async function readHead(dir: string, namespace: RefNamespace, identity: LedgerIdentity): Promise<LedgerHead> {
  const ref = ledgerRef(namespace, identity.number);
  const names = [ref, `${ref}:state.json`, `${ref}:events.jsonl`];
  const sizes = await sizesOf(dir, names);
  if (sizes.some((size) => size !== undefined && size > maxBytes)) {
    throw new LedgerBroken(`ledger of #${identity.number}: it is larger than ${maxBytes} bytes`);
  }
  const [commit, state, log] = await readObjects(dir, names);
  if (commit === undefined) throw new Error(`could not read ${ref} in ${dir}`);
  const raw = { commit: commit.sha, namespace, object: commit.content };
  return parseHead({ ...raw, state: textOf(state), log: textOf(log) }, identity);
}

/** A folder or a link in place of a file is no file. */
function textOf(object: { readonly type: string; readonly content: string } | undefined): string | undefined {
  return object?.type === 'blob' ? object.content : undefined;
}
