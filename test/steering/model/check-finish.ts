import { headAt, pushersIn, returnedAt } from '../../../src/github/read/branch-history.ts';
import { readCiChecks, unprovenVerifiers } from '../../../src/github/read/commit-checks.ts';
import { readTimeline, spokenSince, withoutWrite } from '../../../src/github/read/pull-timeline.ts';
import { readPull } from '../../../src/github/read/pulls.ts';
import { readApprovals } from '../../../src/github/read/read-approvals.ts';
import { ownWorkRule } from '../../../src/steering/approval/authorization.ts';
import { approvedAt, groundOf } from '../../../src/steering/approval/auto-approval.ts';
import { approvalKey, isFinished, reasonsAgainst } from '../../../src/steering/approval/finish-reasons.ts';
import { timeRunsSince } from '../../../src/steering/objections.ts';
import type { FinishFacts, PolicyFacts, Spoken } from '../../../src/steering/shapes/finishing.ts';
import { isBefore } from '../../../src/steering/shapes/time.ts';
import type { State } from '../../../src/steering/state/state.ts';
import { run } from '../samples.ts';
import { type Hub, noCommit, own, repository } from './hub.ts';
import { apiOf } from './hub-api.ts';
import type { Process } from './process.ts';

/** What GitHub says just before finishing. */
export async function finishFacts(hub: Hub, state: State, seen: ReadonlySet<string>): Promise<FinishFacts> {
  const octokit = apiOf(hub);
  const pull = await readPull(octokit, repository, run.number);
  const settings = hub.settingsFor(pull.base_ref);
  const complete = hub.moves.at(-1)?.before === noCommit;
  const history = { moves: hub.moves, complete, lags: false };
  const { number } = run;
  const place = { where: repository, number, approval: settings.approval, own };
  let returned_at: string | null = null;
  const headThen = async (time: string) => {
    returned_at = returnedAt(history, own);
    return headAt(history, time, own);
  };
  const approvals = await readApprovals(octokit, { ...place, headAt: headThen }, state.approvals);
  const since = approvedAt(state).reduce(
    (first, { at }) => (isBefore(at, first) ? at : first),
    state.updated_at,
  );
  const { base_changed_at, deleted } = await readTimeline(octokit, repository, { number, since });
  const spoken = await spokenIn(hub, state, seen);
  const { checks: specs = [] } = settings;
  const ci = { where: repository, ref: pull.head_sha, specs, secrets: [] };
  return {
    ...{ head_sha: pull.head_sha, base: pull.base_ref, settings, approvals, returned_at },
    ...(state.shown?.merged_with !== undefined && { base_sha: hub.base_sha }),
    ...(specs.length > 0 && { checks: await readCiChecks(octokit, ci) }),
    base_changed_at,
    contributors: ownWorkRule(settings.approval) === undefined ? null : pushersIn(history, own),
    voids: deleted === undefined ? [] : [{ why: 'words_deleted', at: deleted.at }],
    ...(groundOf(state) !== undefined && { policy: await policyFacts(hub, state, spoken) }),
  };
}

/** Who has said something since people can. */
export async function spokenIn(
  hub: Hub,
  state: State,
  seen: ReadonlySet<string>,
): Promise<Spoken | undefined> {
  const since = timeRunsSince(state);
  if (since === undefined) return undefined;
  return spokenSince(apiOf(hub), { where: repository, number: run.number, seen }, since);
}

/** The gates are those of the verification: its rules never change here. */
async function policyFacts(hub: Hub, state: State, spoken: Spoken | undefined): Promise<PolicyFacts> {
  const { shown, settings, requested_by, contributors = [], iterations } = state;
  const steers = iterations.flatMap((iteration) => iteration.steers);
  const steerers = steers.map(({ author: login, author_id: id = 0 }) => ({ login, id }));
  const isOfCi = (name: string) => settings.checks?.some((check) => check.name === name) === true;
  const passed = shown?.verifiers.filter(({ success }) => success).map(({ name }) => name) ?? [];
  const names = passed.filter((name) => !isOfCi(name));
  const octokit = apiOf(hub);
  const place = { where: repository, number: run.number, own };
  const verified = { head: hub.pull.head, check: settings.check, names };
  const history = { moves: hub.moves, complete: hub.moves.at(-1)?.before === noCommit, lags: false };
  return {
    sealed: true,
    unproven: await unprovenVerifiers(octokit, place, verified),
    gates: shown?.gates ?? [],
    pushers: pushersIn(history, own),
    without_write: await withoutWrite(octokit, repository, [requested_by, ...contributors, ...steerers]),
    merged_runs: shown?.merged_runs ?? 0,
    ...(spoken !== undefined && { spoken }),
  };
}

/** Records what GitHub says; the state if the run may be finished. */
export async function checkFinish(process: Process, state: State): Promise<State | undefined> {
  const facts = await finishFacts(process.hub, state, process.ledger.seen);
  const isSound = reasonsAgainst(state, facts).length === 0;
  await process.pause();
  const id = `finish:${state.head}:${state.seq}`;
  const { state: after } = await process.record({ type: 'finish_checked', id, at: process.clock, facts });
  const isSame = after !== undefined && isFinished(after) && approvalKey(after) === approvalKey(state);
  process.confirmed = isSound && isSame ? approvalKey(state) : undefined;
  return isSound && isSame ? after : undefined;
}
