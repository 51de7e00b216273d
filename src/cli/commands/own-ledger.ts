import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** Gives the ledger of a pull request, which is on this machine only for as long as it is used. */
export async function withLedger<T>(
  remote: Remote,
  number: number,
  use: (ledger: OwnLedger) => Promise<T>,
): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-ledger-'));
  const identity = { repositoryId: 0, number, presenter: 'app', seal: 'not_checked' } as const;
  const newest = () => fetchHead(dir, remote, identity);
  try {
    await makeDirectory(dir);
    return await use({
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
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
