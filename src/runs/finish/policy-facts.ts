import { type BranchHistory, pushersIn } from '../../github/read/branch-history.ts';
import { contradictedChecks, unprovenVerifiers } from '../../github/read/commit-checks.ts';
import { withoutWrite } from '../../github/read/pull-timeline.ts';
import type { PullFacts } from '../../github/read/pulls.ts';
import { provenNames, takingPart } from '../../steering/approval/auto-approval.ts';
import { agentName } from '../../steering/iterations/authorship.ts';
import type { GateHit } from '../../steering/shapes/attempt-result.ts';
import type { PolicyFacts } from '../../steering/shapes/finishing.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import type { State } from '../../steering/state/state.ts';
import { spokenIn } from '../run/overdue.ts';
import type { Run } from '../run/run.ts';
import type { Services } from '../run/services.ts';

interface Reading {
  readonly pull: PullFacts;
  /** Those of this moment. */
  readonly settings: Settings;
  readonly history: BranchHistory;
}

/**
 * What has to be true of a run that nobody approved, by GitHub and Git alone: whatever the ledger says of
 * itself, or an agent of its work, is not asked.
 */
export async function policyFacts(run: Run, state: State, reading: Reading): Promise<PolicyFacts> {
  const { repository, number } = run;
  const { octokit, own } = repository;
  const { pull, settings, history } = reading;
  const place = { where: repository, number, own };
  const names = provenNames(state, settings);
  const verified = { head: pull.head_sha, check: settings.check, names };
  const spoken = await spokenIn(run, state);
  const contradicted = await contradictedBefore(run, state, reading);
  return {
    sealed: isSealed(state, run.services),
    unproven: await unprovenVerifiers(octokit, place, verified),
    gates: await gatesNow(run, pull, settings),
    pushers: pushersIn(history, own),
    without_write: await withoutWrite(octokit, repository, takingPart(state)),
    merged_runs: await mergedRuns(run, state, settings),
    ...(spoken !== undefined && { spoken }),
    ...(contradicted.length > 0 && { contradicted }),
  };
}

/** Once the approval has taken effect, being out of draft may have CI stopped and run once more. */
async function contradictedBefore(
  { repository, services: { secrets } }: Run,
  { shown, standing }: State,
  { pull, settings: { checks = [] } }: Reading,
): Promise<readonly string[]> {
  const passed = shown?.verifiers.filter(({ success }) => success).map(({ name }) => name) ?? [];
  const specs = checks.filter(({ name, required }) => required || passed.includes(name));
  if (specs.length === 0 || standing.phase !== 'approved' || standing.finish !== 'checking') return [];
  return contradictedChecks(repository.octokit, { where: repository, ref: pull.head_sha, specs, secrets });
}

function isSealed({ run }: State, { presenter, seals }: Services): boolean {
  return presenter === 'app' && run.presenter === 'app' && seals !== undefined;
}

/** Only an attempt needs the part for agents otherwise, so it is loaded here. */
async function gatesNow(
  run: Run,
  { base_ref, head_sha }: PullFacts,
  settings: Settings,
): Promise<readonly GateHit[]> {
  const { judgedBy, judgedChanges } = await import('../../agent/attempt/judged-changes.ts');
  const mirror = await run.repository.mirror();
  await mirror.fetch();
  const base = await mirror.resolve(`refs/heads/${base_ref}`);
  if (base === undefined) throw new Error(`could not find the base branch ${base_ref} of ${run.name}`);
  return (await judgedChanges(mirror, { base, head: head_sha, ...judgedBy(settings) })).gates;
}

async function mergedRuns({ repository, services }: Run, state: State, settings: Settings): Promise<number> {
  const { new_history: wanted = 0 } = settings.approval;
  if (services.formerRuns === undefined || wanted === 0) return 0;
  const agents = state.agents ?? [agentName(settings.agent)];
  return (await services.formerRuns.merged(agents, wanted, repository)).count;
}
