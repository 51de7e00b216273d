import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, git, type Remote } from '../git/git.ts';
import { runExclusive } from '../git/keyed-mutex.ts';
import { commitFrom, inside, readObjects, sizesOf } from '../git/objects.ts';
import { listRemote } from '../git/remote.ts';
import { inSoundDirectory, makeDirectory, maxPackBytes, remakeDirectory, wasEnded } from './directory.ts';
import { type RefNamespace, trailersOf } from './format.ts';

/** A ledger as the remote lists it. */
export interface ListedLedger {
  readonly namespace: RefNamespace;
  /** It is that of the pull request. */
  readonly number: number;
  /** The ref points to it. */
  readonly commit: string;
  /**
   * Whether that commit says that the run has ended and nothing is left to do for it. It is not proven:
   * anyone with write access can push such a commit.
   */
  readonly settled: boolean;
}

/**
 * The ledgers of a repository, with one fetch into a directory of its own, because only a fetch is filtered
 * by the server. Only the commits are fetched, without their files: anyone with write access can push what no
 * program should touch, and the ledgers of ended runs add up over the years.
 */
export function listLedgers(dir: string, remote: Remote): Promise<readonly ListedLedger[]> {
  const list = async () => {
    await makeTidyDirectory(dir);
    const fetched = await fetchTips(dir, remote);
    if (fetched === 'too_large') return listNames(dir, remote);
    if (fetched === 'none') return [];
    const format = '--format=%(objectname) %(refname)';
    const lines = (await git(['for-each-ref', format, 'refs/coxswain'], inside(dir))).split('\n');
    const found = lines.flatMap((line) => ledgerAt(line.slice(line.indexOf(' ') + 1), line.split(' ', 1)[0]));
    const closed = found.filter(({ namespace }) => namespace === 'closed');
    const settled = await settledAmong(
      dir,
      closed.map(({ commit }) => commit),
    );
    return found.map((ledger) => ({ ...ledger, settled: settled.has(ledger.commit) }));
  };
  return runExclusive(dir, () => inSoundDirectory(dir, list));
}

/**
 * The namespaces in which each of these pull requests has a ledger, such as `open`: one that has any is or
 * was a run.
 */
export async function ledgersOf(
  remote: Remote,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const patterns = numbers.flatMap((each) => [`refs/coxswain/*/${each}`, `refs/coxswain/broken/${each}-*`]);
  const found = new Map<number, readonly string[]>();
  for (const ref of (await listRemote(remote, patterns)).keys()) {
    const [, namespace = '', number = ''] = /^refs\/coxswain\/([^/]+)\/(\d+)(?:-|$)/.exec(ref) ?? [];
    found.set(Number(number), [...(found.get(Number(number)) ?? []), namespace]);
  }
  return found;
}

/** Every fetch leaves a pack, and one that was ended a part of it. */
const maxPackFiles = 300;

async function makeTidyDirectory(dir: string): Promise<void> {
  await makeDirectory(dir);
  const packs = await readdir(join(dir, 'objects', 'pack')).catch(() => []); // nothing was fetched yet
  if (packs.length > maxPackFiles) await remakeDirectory(dir);
}

async function fetchTips(dir: string, remote: Remote): Promise<'some' | 'none' | 'too_large'> {
  const command = ['fetch', '--quiet', '--depth=1', '--filter=tree:0', '--prune', '--no-tags'];
  const refspecs = namespaces.map((each) => `+refs/coxswain/${each}/*:refs/coxswain/${each}/*`);
  const options = { ...inside(dir), remote, maxFileBytes: maxPackBytes };
  try {
    await git([...command, '--no-write-fetch-head', remote.url, ...refspecs], options);
    return 'some';
  } catch (fault) {
    if (wasEnded(fault)) return 'too_large';
    // If no ref matches, a fetch with a depth exits with 1 and prints nothing; a real failure prints why.
    if (fault instanceof GitError && fault.exitCode === 1 && fault.stderr === '') return 'none';
    throw fault;
  }
}

/** Only the names and values of the refs, without any object; the server then lists all refs that it has. */
async function listNames(dir: string, remote: Remote): Promise<readonly ListedLedger[]> {
  await remakeDirectory(dir);
  const refs = await listRemote(
    remote,
    namespaces.map((each) => `refs/coxswain/${each}/*`),
  );
  return [...refs].flatMap(([ref, commit]) => ledgerAt(ref, commit));
}

const namespaces = ['open', 'closed'] as const;

function ledgerAt(ref: string, commit = ''): readonly ListedLedger[] {
  const [, space, number] = /^refs\/coxswain\/(open|closed)\/(\d{1,15})$/.exec(ref) ?? [];
  const namespace = namespaces.find((each) => each === space);
  return namespace === undefined ? [] : [{ namespace, number: Number(number), commit, settled: false }];
}

/** More than a commit of ours ever has. */
const maxBytes = 16_384;

async function settledAmong(dir: string, commits: readonly string[]): Promise<ReadonlySet<string>> {
  const sizes = await sizesOf(dir, commits);
  const objects = await readObjects(
    dir,
    commits.filter((_, index) => (sizes[index] ?? Number.POSITIVE_INFINITY) <= maxBytes),
  );
  const settled = objects.filter((object) => {
    const commit = object?.type === 'commit' ? commitFrom(object.content) : undefined;
    return commit !== undefined && trailersOf(commit.message).settled;
  });
  return new Set(settled.flatMap((object) => object?.sha ?? []));
}
