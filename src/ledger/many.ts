import type { Remote } from '../git/git.ts';
import { git } from '../git/git.ts';
import { inLane } from '../git/lane.ts';
import { inside, readObjects } from '../git/objects.ts';
import type { State } from '../steering/state.ts';
import { makeDirectory } from './directory.ts';
import { LedgerBroken, LedgerTooNew } from './errors.ts';
import { parseState } from './parse.ts';
import { ledgerRef } from './places.ts';

/** A ledger that cannot be read must not hide the others. */
export type OnUnreadable = (number: number, error: LedgerBroken | LedgerTooNew) => void;

/** The states of all live runs of a repository, by one fetch into a directory of its own. */
export function readOpenLedgers(
  dir: string,
  remote: Remote,
  onUnreadable: OnUnreadable,
): Promise<ReadonlyMap<number, State>> {
  return inLane(dir, async () => {
    await makeDirectory(dir);
    const all = ledgerRefs();
    const command = ['fetch', '--quiet', '--depth=1', '--prune', '--no-tags', '--no-write-fetch-head'];
    await git([...command, remote.url, `+${all}:${all}`], { ...inside(dir), remote });
    const listing = await git(
      ['for-each-ref', '--format=%(refname:lstrip=3)', 'refs/coxswain/open'],
      inside(dir),
    );
    const numbers = listing.split('\n').flatMap((line) => (/^\d+$/.test(line) ? [Number(line)] : []));
    return statesOf(dir, numbers, onUnreadable);
  });
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
