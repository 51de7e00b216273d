import { commitFrom } from '../git/commit-object.ts';
import type { Remote } from '../git/git.ts';
import { GitError, git } from '../git/git.ts';
import { runExclusive } from '../git/keyed-mutex.ts';
import { inside, readObjects, sizesOf } from '../git/objects.ts';
import { makeDirectory } from './directory.ts';
import { trailersOf } from './message.ts';
import type { RefNamespace } from './refs.ts';

/** A ledger as the remote lists it. */
export interface ListedLedger {
  readonly namespace: RefNamespace;
  /** The pull request's number. */
  readonly number: number;
  /** The newest commit. */
  readonly commit: string;
  /**
   * Whether that commit says that the run has ended and nothing is left to do for it. It is not proven, but
   * whoever can write it could as well delete the ledger.
   */
  readonly settled: boolean;
}

/**
 * The ledgers of a repository, with one fetch into a directory of its own, because only a fetch is filtered
 * by the server. Only the commits are fetched, without their files: anyone with write access can push what no
 * program should touch, and the ledgers of ended runs add up over the years.
 */
export function listLedgers(dir: string, remote: Remote): Promise<readonly ListedLedger[]> {
  return runExclusive(dir, async () => {
    await makeDirectory(dir);
    const command = ['fetch', '--quiet', '--depth=1', '--filter=tree:0', '--prune', '--no-tags'];
    const refspecs = (['open', 'closed'] as const).map((each) => `+${all(each)}:${all(each)}`);
    const fetching = git([...command, '--no-write-fetch-head', remote.url, ...refspecs], {
      ...inside(dir),
      remote,
    });
    if (!(await fetching.then(() => true, noneThere))) return [];
    const refs = (['open', 'closed'] as const).map(async (namespace) => {
      const listing = await git(['for-each-ref', format, `refs/coxswain/${namespace}`], inside(dir));
      return [...listing.matchAll(/^([0-9a-f]+) (\d{1,15})$/gm)].map(([, commit = '', number]) => {
        return { namespace, number: Number(number), commit };
      });
    });
    const [open = [], closed = []] = await Promise.all(refs);
    const settled = await settledAmong(dir, closed);
    return [...open, ...closed].map((ledger) => ({ ...ledger, settled: settled.has(ledger.commit) }));
  });
}

function all(namespace: RefNamespace): string {
  return `refs/coxswain/${namespace}/*`;
}

const format = '--format=%(objectname) %(refname:lstrip=3)';

/** If no ref matches, a fetch with a depth exits with 1 and prints nothing; a real failure prints why. */
function noneThere(fault: unknown): false {
  if (fault instanceof GitError && fault.exitCode === 1 && fault.stderr === '') return false;
  throw fault;
}

/** More than a commit of ours ever has. */
const maxBytes = 16_384;

async function settledAmong(
  dir: string,
  ledgers: readonly Pick<ListedLedger, 'commit'>[],
): Promise<ReadonlySet<string>> {
  const names = ledgers.map(({ commit }) => commit);
  const sizes = await sizesOf(dir, names);
  const objects = await readObjects(
    dir,
    names.filter((_, index) => (sizes[index] ?? Number.POSITIVE_INFINITY) <= maxBytes),
  );
  const settled = objects.filter((object) => {
    const commit = object?.type === 'commit' ? commitFrom(object.content) : undefined;
    return commit !== undefined && trailersOf(commit.message).settled;
  });
  return new Set(settled.flatMap((object) => object?.sha ?? []));
}
