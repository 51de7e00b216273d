import type { State } from '../steering/state.ts';
import type { OtherProcesses } from './other-processes.ts';

/** A run whose ledger may not have been read yet. */
interface Known {
  readonly newest: State | undefined;
  readLedger(): Promise<{ readonly state: State } | undefined>;
}

/** Whether other processes record events of our runs. */
export interface Recording {
  readonly others?: Pick<OtherProcesses, 'present'> | undefined;
}

/**
 * What a run came to. What this process knows of it is outdated as soon as another one records something, so
 * where there are others the ledger is read.
 */
export async function upToDate(run: Known, { others }: Recording): Promise<State | undefined> {
  if (run.newest !== undefined && !others?.present) return run.newest;
  return (await run.readLedger())?.state;
}
