import { readApproval } from '../github/read/approvals.ts';
import { type PullFacts, readPull } from '../github/read/pulls.ts';
import { reasonsAgainst } from '../steering/approving.ts';
import type { FinishFacts } from '../steering/event.ts';
import type { Settings } from '../steering/settings.ts';
import type { State } from '../steering/state.ts';
import type { Run } from './run.ts';
import type { Services } from './services.ts';

interface Checking {
  readonly services: Services;
  /** The pull request, if it was read just now. */
  readonly pull?: PullFacts;
}

/** What GitHub says of a run that may be finished. */
export interface Finishable {
  readonly pull: PullFacts;
  /** Those of this moment, not of the ledger. */
  readonly settings: Settings;
}

/**
 * Reads everything an approval is bound to from GitHub once more, just before finishing, because the ledger
 * alone is not proof, and records the result. Undefined if the run may not be finished.
 */
export async function checkFinish(
  run: Run,
  state: State,
  { services, pull }: Checking,
): Promise<Finishable | undefined> {
  const { repository, number } = run;
  const now = pull ?? (await readPull(repository.octokit, repository, number));
  const facts = await finishFacts(run, state, now);
  const { settings } = facts;
  const isSound = settings !== null && reasonsAgainst(state, facts).length === 0;
  run.confirmed = isSound ? approvalKey(state) : undefined;
  const at = services.clock.now().toISOString();
  await run.record({ type: 'finish_checked', id: `finish:${state.head}:${state.seq}`, at, facts });
  return isSound ? { pull: now, settings } : undefined;
}

/** Identifies what was approved and by which approvals; once confirmed, it need not be checked again. */
export function approvalKey({ head, approvals }: State): string {
  return `${head}:${approvals.map(({ id }) => id).join(',')}`;
}

async function finishFacts(run: Run, state: State, pull: PullFacts): Promise<FinishFacts> {
  const { repository, number } = run;
  const { octokit, own } = repository;
  const { base_ref: base, default_branch } = pull;
  const reading = await run.readSettings({ base, default_branch, overrides: state.overrides });
  const settings = reading.outcome === 'configured' ? reading.settings : null;
  const { approval } = settings ?? state.settings;
  const place = { where: repository, number, approval, own };
  const approvals = await Promise.all(state.approvals.map((each) => readApproval(octokit, place, each)));
  return { head_sha: pull.head_sha, base, settings, approvals };
}
