import { ObjectDamaged, type Remote } from '../../git/git.ts';
import { fetchHead, makeDirectory } from '../../ledger/directory.ts';
import { fetchHistory } from '../../ledger/log.ts';
import { type LedgerHead, parseEvents } from '../../ledger/parse.ts';
import { ledgerRef } from '../../ledger/refs.ts';
import { type LedgerStep, newerThan, readSteps } from '../../ledger/steps.ts';

/** The ledger of a run, as the person's own token can fetch it. */
export interface OwnLedger {
  readonly dir: string;
  readonly remote: Remote;
  /** Its newest commit; undefined if there is none. */
  newest(): Promise<LedgerHead | undefined>;
  /** The entries after that number, oldest first. */
  stepsSince(seq: number): Promise<readonly LedgerStep[]>;
}

/** The ledger of a pull request, which is fetched into this folder. */
export async function ownLedger(dir: string, remote: Remote, number: number): Promise<OwnLedger> {
  await makeDirectory(dir);
  // Nobody but the App has a key, so a ledger is proven by other means.
  const identity = { repositoryId: 0, number, presenter: 'app', seal: 'not_checked' } as const;
  const newest = () => fetchHead(dir, remote, identity);
  return {
    ...{ dir, remote, newest },
    stepsSince: async (seq) => {
      const head = await newest();
      if (head === undefined) return [];
      const { length: entries } = parseEvents(head.log, `ledger of #${number}`);
      const count = newerThan(seq, { seq: head.state.seq, entries });
      if (count === 0) return [];
      await fetchHistory({ dir, remote, ref: ledgerRef(head.namespace, number) }, count + 1);
      const read = await readSteps(dir, head.commit, seq).catch((fault: unknown) => {
        // While its history was fetched, the ledger went on: whoever waits asks again.
        if (fault instanceof ObjectDamaged) return { steps: [] };
        throw fault;
      });
      return read.steps;
    },
  };
}
