import { agentName } from '../../steering/iterations/authorship.ts';
import type { State } from '../../steering/state/state.ts';
import { messageOf } from '../repository/faults.ts';
import { retry } from '../run/retry.ts';
import type { LeasedWork } from './leased-work.ts';

/** What former runs say for a verification; no notice if there is nothing that people should know. */
export interface History {
  /** Absent where only people decide, who need no number for that. */
  readonly merged_runs?: number;
  readonly notices: readonly string[];
}

/** How many merged runs are wanted where the configuration says nothing. */
const usualHistory = 3;

/**
 * How many merged runs stand behind the agents of this run. What cannot be read or believed is no history:
 * then people are told so, and the run is on new ground.
 */
export async function historyOf({ run, options }: LeasedWork, state: State): Promise<History> {
  const { formerRuns, log } = options.services;
  const { mode, new_history: wanted = usualHistory } = state.settings.approval;
  if (formerRuns === undefined || mode === 'manual') return { notices: [] };
  const agents = state.agents ?? [agentName(state.settings.agent)];
  const doing = `count the former runs for ${run.name}`;
  const counting = () => formerRuns.merged(agents, wanted, run.repository);
  const patience = { log, signal: options.signal, firstWaitMs: 500, factor: 3 };
  const { count, why } = await retry(counting, { ...patience, doing }).catch((fault: unknown) => {
    log.warn(`gave up to ${doing}: ${messageOf(fault)}`);
    return { count: 0, why: 'it cannot be read' };
  });
  return { merged_runs: count, notices: why === undefined ? [] : [noticeOf(why)] };
}

function noticeOf(why: string): string {
  return `The record of former runs (refs/coxswain/outcomes) cannot be used: ${why}. So this counts as new ground.`;
}
