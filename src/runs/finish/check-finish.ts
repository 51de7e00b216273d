import { remoteTip } from '../../git/remote.ts';
import { type BranchHistory, headAt, returnedAt } from '../../github/read/branch-history.ts';
import { hasSucceeded, withheldOn } from '../../github/read/commit-checks.ts';
import { readTimeline } from '../../github/read/pull-timeline.ts';
import type { PullFacts } from '../../github/read/pulls.ts';
import { readApprovals } from '../../github/read/read-approvals.ts';
import { readQueuePlace } from '../../github/read/read-merge-queue.ts';
import { authorityOf } from '../../repository/authority.ts';
import { askedBy } from '../../repository/configuration.ts';
import { contributorsIn, HistoryLags, historyOf } from '../../repository/contributors.ts';
import { dependsOnFiles } from '../../steering/approval/approval-needs.ts';
import { ownWorkRule } from '../../steering/approval/authorization.ts';
import { approvedAt, approvedBy, groundOf } from '../../steering/approval/auto-approval.ts';
import { hasUnfinishedChecks } from '../../steering/approval/ci-results.ts';
import { approvalKey, isFinished, reasonsAgainst } from '../../steering/approval/finish-reasons.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import { confirmed, isConfirmed, voidings } from '../../steering/process-state.ts';
import type { Authority } from '../../steering/shapes/approval-authority.ts';
import type { FinishFacts, Voiding } from '../../steering/shapes/finishing.ts';
import type { ApprovalSettings, Settings } from '../../steering/shapes/settings.ts';
import { isBefore } from '../../steering/shapes/time.ts';
import type { State } from '../../steering/state/state.ts';
import { recordOrWithhold } from '../run/background-work.ts';
import { requireCaughtUp } from '../run/catch-up.ts';
import { readChecks } from '../run/ci-checks.ts';
import type { Run } from '../run/run.ts';

/** What GitHub says of a run that may be finished. */
export interface Finishable {
  readonly pull: PullFacts;
  /** Those of this moment, not of the ledger. */
  readonly settings: Settings;
  /** A required check of CI is being run once more. */
  readonly checksRun: boolean;
  /** What the ledger says after the check: people may have spoken meanwhile. */
  readonly state: State;
}

/**
 * Reads everything an approval is bound to from GitHub once more, just before finishing, because the ledger
 * alone is not proof, and records the result. Undefined if the run may not be finished, be it for what GitHub
 * says or for what was recorded during these requests. `pull`: the pull request, if it was read just now.
 */
export async function checkFinish(run: Run, state: State, pull?: PullFacts): Promise<Finishable | undefined> {
  // What is not known yet may only keep an approval from counting; what is known to have fallen falls.
  const asking = run.process.isInDoubt ? requireCaughtUp(run).then(() => undefined) : undefined;
  const doubt = await asking?.catch((fault: unknown) => ({ fault }));
  const now = pull ?? (await run.pull());
  const { doubts } = run.process;
  const facts = await finishFacts(run, state, now);
  const { settings } = facts;
  const isSound = settings !== null && reasonsAgainst(state, facts).length === 0;
  if (isSound && doubt !== undefined) throw doubt.fault;
  const at = run.now();
  const id = `finish:${state.head}:${state.seq}`;
  const recording = () => run.record({ type: 'finish_checked', id, at, facts });
  // What is known to have fallen must not stay green because it cannot be recorded.
  const { state: after } = await (isSound ? recording() : recordOrWithhold(recording, run));
  const isSame = after !== undefined && isFinished(after) && approvalKey(after) === approvalKey(state);
  const isConfirmed = isSound && isSame && doubts === run.process.doubts;
  run.process = confirmed(run.process, state, { is: isConfirmed, at: run.services.clock.now() });
  const checksRun = hasUnfinishedChecks(facts);
  return isConfirmed ? { pull: now, settings, checksRun, state: after } : undefined;
}

const longestLagMs = 60_000;

/** What GitHub says now about the run, its approvals and the people who worked on it. */
export async function finishFacts(run: Run, state: State, known?: PullFacts): Promise<FinishFacts> {
  const { repository, number } = run;
  const { octokit, own } = repository;
  const pull = known ?? (await run.pull());
  const { base_ref: base, default_branch } = pull;
  const reading = await run.readSettings({ base, default_branch, ...askedBy(state) });
  const settings = reading.outcome === 'configured' ? reading.settings : null;
  const { approval } = settings ?? state.settings;
  const history = historyReader(run, pull, state);
  // Only what does not belong to a commit depends on what the branch was meanwhile.
  let returned_at: string | null = null;
  const authority = await authorityNow(run, { pull, state, approval });
  const place = {
    ...{ where: repository, number, approval, authority, own },
    headAt: async (time: string) => {
      const moves = await history();
      returned_at = returnedAt(moves, own);
      return headAt(moves, time, own);
    },
  };
  const approvals = await readApprovals(octokit, place, state.approvals);
  const branch = { ...pull, adopted: state.run.adopted };
  const asksWho = ownWorkRule(approval) !== undefined;
  const contributors = asksWho ? await contributorsIn(repository, branch, await history()) : null;
  const { base_changed_at, deleted } = await readTimeline(octokit, repository, {
    number,
    since: approvedAt(state).reduce((first, { at }) => (isBefore(at, first) ? at : first), state.updated_at),
  });
  const fallen = await voidsOf(run, pull);
  const voids =
    deleted === undefined ? fallen : [...fallen, { why: 'words_deleted', at: deleted.at } as const];
  const { checks: specs = [] } = settings ?? state.settings;
  const checks = specs.length === 0 ? undefined : await readChecks(run, pull.head_sha, specs);
  const merge = (await dependsOnBase(run, state)) && {
    base_sha: (await remoteTip(repository.remote, base)) ?? null,
  };
  const where = { head_sha: pull.head_sha, returned_at, base, base_changed_at, ...merge };
  const facts: FinishFacts = {
    ...{ ...where, settings, approvals, contributors, voids },
    ...(authority !== undefined && { authority }),
    ...(checks !== undefined && { checks }),
  };
  if (settings === null || groundOf(state) === undefined) return facts;
  const { policyFacts } = await import('./policy-facts.ts');
  const now = { pull, settings, history: await history() };
  return { ...facts, policy: await policyFacts(run, state, now) };
}

/** By the base as it is now; another head than the one under review is not finished anyway. */
async function authorityNow(
  { repository, services }: Run,
  { pull, state, approval }: { pull: PullFacts; state: State; approval: ApprovalSettings },
): Promise<Authority | undefined> {
  const { base_ref: base, head_sha: head } = pull;
  if (head !== state.shown?.head_sha || !dependsOnFiles(approval)) return undefined;
  const mirror = await repository.mirror();
  // The head may be merged already, and its branch deleted.
  const missing = (await mirror.resolve(head)) === undefined ? [pull.head_ref] : [];
  await mirror.fetchBranches(base, ...missing);
  return authorityOf(repository, { base, head, approval }, services);
}

/** A merge queue merges with what is there then, and its groups are verified themselves. */
async function dependsOnBase({ repository, number }: Run, { shown }: State): Promise<boolean> {
  if (shown?.merged_with === undefined) return false;
  return !(await readQueuePlace(repository.octokit, repository, number)).exists;
}

/**
 * Reads the history of the branch once, if it is needed. For the first minute after a push it throws if
 * GitHub has not listed the push yet; this is tried again like every fault.
 */
function historyReader(
  { repository, name, services }: Run,
  pull: PullFacts,
  state: State,
): () => Promise<BranchHistory> {
  let reading: Promise<BranchHistory> | undefined;
  return async () => {
    reading ??= historyOf(repository, pull);
    const history = await reading;
    const age = services.clock.now().getTime() - Date.parse(state.head_at);
    if (history.lags && age < longestLagMs)
      throw new HistoryLags(`GitHub does not list yet who pushed ${shortSha(pull.head_sha)} to ${name}`);
    return history;
  };
}

/**
 * What voids the approvals of a run, as our check runs on its head say and as far as this process knows: the
 * ledger may be put back, and what was said deleted, but nobody else can change our check runs.
 */
async function voidsOf(run: Run, { head_sha }: PullFacts): Promise<readonly Voiding[]> {
  const { repository, number, process } = run;
  const place = { where: repository, number, own: repository.own };
  const withheld = await withheldOn(repository.octokit, place, head_sha);
  return [
    ...withheld.filter(({ lost }) => lost).map(({ at }): Voiding => ({ why: 'ledger_lost', at })),
    ...withheld.filter(({ unrecorded }) => unrecorded).map(({ at }): Voiding => ({ why: 'unrecorded', at })),
    ...voidings(process),
  ];
}

/**
 * A successful check allows merging, so a ledger that says "approved" is not enough for it: the approval is
 * confirmed on GitHub, given the pull request as it is now. If that fails, the state recorded by the check is
 * rendered instead.
 */
export async function confirmedState(run: Run, state: State, pull: PullFacts): Promise<State | undefined> {
  const { standing } = state;
  if (standing.phase === 'done' && approvedBy(state) !== '') {
    const { phase, merged } = standing;
    const isAsApproved = await isMergedAsApproved(run, state, pull);
    return isAsApproved ? state : { ...state, approvals: [], standing: { phase, merged } };
  }
  if (!isFinished(state)) return state;
  if (isConfirmed(run.process, state, run.services.clock.now()) && isWhere(state, pull)) return state;
  return (await checkFinish(run, state, pull))?.state;
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
