import { hasSucceeded } from '../../github/read/commit-checks.ts';
import type { PullFacts } from '../../github/read/pulls.ts';
import { approvedBy } from '../../steering/approval/auto-approval.ts';
import { isConfirmed } from '../../steering/process-state.ts';
import type { In, State } from '../../steering/state/state.ts';
import type { Run } from '../run/run.ts';
import type { Services } from '../run/services.ts';
import { checkFinish, isFinished } from './check-finish.ts';

/**
 * A successful check allows merging, so a ledger that says "approved" is not enough for it: the approval is
 * confirmed on GitHub. If that fails, the state recorded by the check is rendered instead.
 */
export async function confirmedState(
  run: Run,
  state: State,
  { services, pull }: Confirmation,
): Promise<State | undefined> {
  const { standing } = state;
  if (standing.phase === 'done' && approvedBy(state) !== '')
    return (await isMergedAsApproved(run, state, pull)) ? state : withoutApproval(state, standing);
  if (!isFinished(state)) return state;
  if (isConfirmed(run.process, state, services.clock.now()) && isWhere(state, pull)) return state;
  return (await checkFinish(run, state, { services, pull }))?.state;
}

function withoutApproval(state: State, { phase, merged }: In<'done'>['standing']): State {
  return { ...state, approvals: [], standing: { phase, merged } };
}

interface Confirmation {
  readonly services: Services;
  /** The pull request as it is now. */
  readonly pull: PullFacts;
}

/** A run ends green only if exactly the approved commit was merged, and our final check let it. */
async function isMergedAsApproved(
  { repository, number }: Run,
  state: State,
  pull: PullFacts,
): Promise<boolean> {
  if (!pull.merged || !isWhere(state, pull)) return false;
  if (state.approvals.some(({ head_sha }) => head_sha !== pull.head_sha)) return false;
  const place = { where: repository, number, own: repository.own };
  return hasSucceeded(repository.octokit, place, { head: pull.head_sha, name: state.settings.check });
}

/** Whether the pull request has the head and the base that were approved. */
function isWhere({ head, run }: State, pull: PullFacts): boolean {
  return pull.head_sha === head && pull.base_ref === run.base;
}
