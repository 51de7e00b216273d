import type { Run } from '../run.ts';
import type { Services } from '../services.ts';
import { catchUp } from '../sweep/catch-up.ts';

/** Something was said that GitHub does not list, and that it has not delivered again yet. */
class NotRecorded extends Error {
  override name = 'NotRecorded';
}

/** Records what was missed; throws while something remains that could not be recorded. */
export async function settleDoubts(run: Run, { log }: Pick<Services, 'log'>): Promise<void> {
  const { doubts } = run;
  if (!doubts.isOpen) return;
  const { times } = doubts;
  const snapshot = await run.readLedger();
  if (snapshot === undefined) return;
  const [fault] = await catchUp(run, snapshot, log);
  if (fault !== undefined) throw fault;
  doubts.settle(times);
  if (doubts.isOpen) throw new NotRecorded(`something that was said about ${run.name} is not recorded yet`);
}
