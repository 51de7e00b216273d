import type { Remote } from '../git/git.ts';
import { GitError, git } from '../git/git.ts';
import { runExclusive } from '../git/keyed-mutex.ts';
import { inside, readObjects } from '../git/objects.ts';
import type { State } from '../steering/state.ts';
import { makeDirectory } from './directory.ts';
import { LedgerBroken, LedgerTooNew } from './errors.ts';
import { parseState } from './parse.ts';
import { ledgerRef } from './refs.ts';

/** A ledger that cannot be read must not hide the others. */
export type OnUnreadable = (number: number, error: LedgerBroken | LedgerTooNew) => void;

/** The states of all open runs of a repository, with one fetch into a directory of its own. */
export function readOpenLedgers(
  dir: string,
  remote: Remote,
  onUnreadable: OnUnreadable,
): Promise<ReadonlyMap<number, State>> {
  return runExclusive(dir, async () => {
    await makeDirectory(dir);
    const all = ledgerRefs();
    const command = ['fetch', '--quiet', '--depth=1', '--prune', '--no-tags', '--no-write-fetch-head'];
    const fetching = git([...command, remote.url, `+${all}:${all}`], { ...inside(dir), remote });
    const found = await fetching.then(() => true, noneThere);
    if (!found) return new Map();
    const listing = await git(
      ['for-each-ref', '--format=%(refname:lstrip=3)', 'refs/coxswain/open'],
      inside(dir),
    );
    const numbers = listing.split('\n').flatMap((line) => (/^\d+$/.test(line) ? [Number(line)] : []));
    return statesOf(dir, numbers, onUnreadable);
  });
}

/** If no ref matches, a fetch with a depth exits with 1 and prints nothing; a real failure prints why. */
function noneThere(fault: unknown): false {
  if (fault instanceof GitError && fault.exitCode === 1 && fault.stderr === '') return false;
  throw fault;
}

function ledgerRefs(): string {
  return 'refs/coxswain/open/*';
}

async function statesOf(
  dir: string,
  numbers: readonly number[],
  onUnreadable: OnUnreadable,
): Promise<ReadonlyMap<number, State>> {
  const files = await readObjects(
    dir,
    numbers.map((number) => `${ledgerRef('open', number)}:state.json`),
  );
  const states = new Map<number, State>();
  for (const [index, number] of numbers.entries()) {
    try {
      states.set(number, parseState(files[index]?.content, `ledger of #${number}`));
    } catch (error) {
      if (!(error instanceof LedgerBroken || error instanceof LedgerTooNew)) throw error;
      onUnreadable(number, error);
    }
  }
  return states;
}
