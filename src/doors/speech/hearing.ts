import type { LedgerStep } from '../../ledger/ledger-steps.ts';
import { keyOf, type LiveRuns } from '../../runs/run/live-runs.ts';
import type { Run } from '../../runs/run/run.ts';

/** What this process records from now on, and what others do where there are any. */
export function hearing(run: Run, liveRuns: LiveRuns) {
  const heard: LedgerStep[] = [];
  const own = keyOf(run.repository, run.number);
  const stop = liveRuns.watch((key, steps) => {
    if (key === own) heard.push(...steps);
  });
  const stepsSince = async (seq: number) => {
    const newer = heard.filter((step) => step.seq > seq);
    if (newer.length > 0 || !liveRuns.services.others?.present) return newer;
    return recordedIn(run, seq);
  };
  return { stop, stepsSince };
}

/** What is in the ledger already. */
export async function recordedIn(run: Run, seq: number): Promise<readonly LedgerStep[]> {
  return (await run.ledger.steps(seq))?.steps ?? [];
}
