import { readApproval } from '../github/read/approvals.ts';
import { readPull } from '../github/read/pulls.ts';
import { reasonsAgainst } from '../steering/approving.ts';
import type { FinishFacts } from '../steering/event.ts';
import type { State } from '../steering/state.ts';
import { readConfigAt } from './configuration.ts';
import type { Lane } from './live-run.ts';
import type { Workshop } from './services.ts';

/**
 * Asks GitHub once more, just before finishing, about everything an approval was bound to
 * (DESIGN §3 Trust: the ledger is the memory, not the authority), and tells the run what it said.
 * Answers whether nothing speaks against it.
 */
export async function checkFinish(lane: Lane, state: State, workshop: Workshop): Promise<boolean> {
  const facts = await finishFacts(lane, state, workshop);
  const sound = reasonsAgainst(state, facts).length === 0;
  if (sound) lane.vouched = vouchable(state);
  const at = workshop.clock.now().toISOString();
  await lane.tell({ type: 'finish_checked', id: `finish:${state.head}:${state.seq}`, at, facts });
  return sound;
}

/** What was approved, by which words: once it is confirmed, the same need not be asked again. */
export function vouchable({ head, approvals }: State): string {
  return `${head}:${approvals.map(({ id }) => id).join(',')}`;
}

async function finishFacts(
  { repository, number }: Lane,
  state: State,
  workshop: Workshop,
): Promise<FinishFacts> {
  const { octokit, own } = repository;
  const pull = await readPull(octokit, repository, number);
  const reading = await readConfigAt(repository, pull.base_ref, workshop);
  const settings = reading.outcome === 'configured' ? reading.settings : null;
  const { approval } = settings ?? state.settings;
  const place = { where: repository, number, approval, own };
  const approvals = await Promise.all(state.approvals.map((each) => readApproval(octokit, place, each)));
  return { head_sha: pull.head_sha, base: pull.base_ref, settings, approvals };
}
