import type { Remote } from '../git/git.ts';
import { GitError, git } from '../git/git.ts';
import { runExclusive } from '../git/keyed-mutex.ts';
import { inside } from '../git/objects.ts';
import { makeDirectory } from './directory.ts';

/** The pull request's number and the ledger's newest commit. */
export interface OpenLedger {
  readonly number: number;
  readonly commit: string;
}

/**
 * The open ledgers of a repository, with one fetch into a directory of its own, because only a fetch is
 * filtered by the server. None is read: anyone with write access can push what no program should touch.
 */
export function listOpenLedgers(dir: string, remote: Remote): Promise<readonly OpenLedger[]> {
  return listLedgers(dir, remote, 'open');
}

/** The same for the ledgers of ended runs. */
export function listClosedLedgers(dir: string, remote: Remote): Promise<readonly OpenLedger[]> {
  return listLedgers(dir, remote, 'closed');
}

function listLedgers(
  dir: string,
  remote: Remote,
  namespace: 'open' | 'closed',
): Promise<readonly OpenLedger[]> {
  const folder = `refs/coxswain/${namespace}`;
  return runExclusive(dir, async () => {
    await makeDirectory(dir);
    const all = `${folder}/*`;
    const command = ['fetch', '--quiet', '--depth=1', '--prune', '--no-tags', '--no-write-fetch-head'];
    const fetching = git([...command, remote.url, `+${all}:${all}`], { ...inside(dir), remote });
    if (!(await fetching.then(() => true, noneThere))) return [];
    const format = '--format=%(objectname) %(refname:lstrip=3)';
    const listing = await git(['for-each-ref', format, folder], inside(dir));
    return [...listing.matchAll(/^([0-9a-f]+) (\d{1,15})$/gm)].map(([, commit = '', number]) => ({
      number: Number(number),
      commit,
    }));
  });
}

/** If no ref matches, a fetch with a depth exits with 1 and prints nothing; a real failure prints why. */
function noneThere(fault: unknown): false {
  if (fault instanceof GitError && fault.exitCode === 1 && fault.stderr === '') return false;
  throw fault;
}
