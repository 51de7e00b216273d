import { readApproval } from '../github/read/approvals.ts';
import { readPull } from '../github/read/pulls.ts';
import type { FinishFacts } from '../steering/event.ts';
import type { State } from '../steering/state.ts';
import { readConfigAt } from './configuration.ts';
import type { Lane } from './lane.ts';
import type { Workshop } from './workshop.ts';

/**
 * Asks GitHub once more, just before finishing, about everything an approval was bound to
 * (DESIGN §3 Trust: the ledger is the memory, not the authority), and tells the run what it said.
 */
export async function checkFinish(lane: Lane, state: State, workshop: Workshop): Promise<void> {
  const facts = await finishFacts(lane, state, workshop);
  const approved = state.approvals.map(({ id }) => id).join(',');
  const id = `finish:${state.head}:${approved}:${state.seq}`;
  await lane.tell({ type: 'finish_checked', id, at: workshop.clock.now().toISOString(), facts });
}

async function finishFacts(lane: Lane, state: State, workshop: Workshop): Promise<FinishFacts> {
  const { repository } = lane;
  const [pull, reading, approvals] = await Promise.all([
    readPull(repository.octokit, repository, state.run.number),
    readConfigAt(repository, state.run.base, workshop),
    Promise.all(state.approvals.map((approval) => readApproval(repository.octokit, state, approval))),
  ]);
  return {
    head_sha: pull.head_sha,
    settings: reading.outcome === 'configured' ? reading.settings : null,
    approvals,
  };
}
