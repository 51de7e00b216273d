import type { Run } from '../run.ts';
import type { Services } from '../services.ts';
import { catchUp } from '../sweep/catch-up.ts';

/** Records what GitHub lists and the ledger does not have; throws while some of it cannot be recorded. */
export async function settleDoubts(run: Run, { log }: Pick<Services, 'log'>): Promise<void> {
  const { doubts } = run;
  if (!doubts.isOpen) return;
  const { times } = doubts;
  const snapshot = await run.readLedger();
  if (snapshot === undefined) return;
  const [fault] = await catchUp(run, snapshot, log);
  if (fault !== undefined) throw fault;
  doubts.settle(times);
}
