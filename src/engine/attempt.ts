import { Workspaces, work } from '../agent/index.ts';
import type { Resumed } from '../agent/port/assignment.ts';
import { withProfile } from '../config/agent-choices.ts';
import type { Misconfigured } from '../config/read.ts';
import { askedBy, misconfiguration } from '../repository/configuration.ts';
import { messageOf, newReference } from '../repository/faults.ts';
import { updateDue } from '../steering/branch/undo-and-update.ts';
import { hasSigned } from '../steering/iterations/authorship.ts';
import { currentIteration, stageAfter, stageOf } from '../steering/iterations/iteration.ts';
import { holdsLease } from '../steering/iterations/step.ts';
import { holdingHits } from '../steering/shapes/gate-rules.ts';
import { somebody } from '../steering/shapes/people.ts';
import type { Settings } from '../steering/shapes/settings.ts';
import type { EventOf } from '../steering/state/event.ts';
import type { In, State } from '../steering/state/state.ts';
import type { AttemptedRun } from './engine.ts';
import { issueContextOf } from './issue-context.ts';
import { finishWork, holdWork, land, mergeBaseIn, startCi, undoTo } from './landing.ts';
import {
  type AttemptOptions,
  keepTrying,
  type LeasedWork,
  newLease,
  observations,
  stamp,
} from './leased-work.ts';
import { LiveAttempt } from './live-attempt.ts';
import { recordFailed, recordParked, resumedFrom } from './parking.ts';
import { verifyHead } from './verification.ts';

/** Takes the queued work, runs the agent and the verifiers, and records the results. */
export async function attempt(run: AttemptedRun, options: AttemptOptions): Promise<void> {
  const job = await keepTrying(() => take(run, options), {
    doing: `start the work on ${run.name}`,
    options,
  });
  if (job === undefined) return;
  try {
    await workAndVerify(job);
  } finally {
    options.services.progress?.clear(run.name);
    await cleanUp(job.workspaces, { run, options });
  }
}

async function cleanUp(
  workspaces: Workspaces,
  { run, options }: Pick<LeasedWork, 'run' | 'options'>,
): Promise<void> {
  await workspaces.removeAll().catch((fault: unknown) => {
    options.services.log.warn(`could not clean up after an attempt of ${run.name}: ${messageOf(fault)}`);
  });
}

async function workAndVerify(job: LeasedWork): Promise<void> {
  const { state } = job;
  const worked = await worksFirst(job, state);
  if (!holdsLease(worked, job.hold) || worked.standing.phase !== 'verifying') return;
  // Someone changed the base meanwhile, perhaps to a branch that did not exist before.
  if (worked.run.base !== state.run.base) await job.resources.mirror.fetch();
  await verifyHead({ ...job, state: worked });
}

/** What comes before the verifiers, if anything does. */
async function worksFirst(job: LeasedWork, state: State): Promise<State | undefined> {
  const { standing } = state;
  if (standing.phase === 'verifying' && 'starts_ci' in standing) return startCi(job);
  if (standing.phase === 'verifying' && 'undoes' in standing) return undoTo(job, standing.undoes);
  if (!isWorking(state)) return updateDue(state) === undefined ? state : recordedMerge(job);
  const { held } = state.standing;
  if (held !== undefined) return land(job, held);
  if (state.merges_base === undefined) return doWork(job, state);
  const merge = await mergeBaseIn(job);
  if ('begun' in merge) return doWork({ ...job, merge: merge.begun }, state);
  const { recorded: merged } = merge;
  if (merged === undefined || !holdsLease(merged, job.hold)) return undefined;
  // Where the merge was all that was wanted, it is only verified.
  if (!isWorking(merged)) return merged;
  return doWork({ ...job, state: merged, ...(job.resumed && { resumed: movedFrom(job.resumed) }) }, merged);
}

/** An agent ends a merge only in an attempt of its own. */
async function recordedMerge(job: LeasedWork): Promise<State | undefined> {
  const merge = await mergeBaseIn(job);
  return 'recorded' in merge ? merge.recorded : undefined;
}

/** What an agent had left was built on the head before the base was merged. */
function movedFrom({ log, work }: Resumed): Resumed {
  return { ...(log !== undefined && { log }), ...(work !== undefined && { work: 'moved' as const }) };
}

async function take(run: AttemptedRun, options: AttemptOptions): Promise<LeasedWork | undefined> {
  const { newest: queued, repository } = run;
  if (queued === undefined || !isQueued(queued)) return undefined;
  const mirror = await repository.mirror();
  await mirror.fetch();
  const head = await mirror.resolve(`refs/heads/${queued.run.branch}`);
  if (head === undefined) {
    await run.record({ type: 'branch_deleted', ...stamp(options, 'branch_gone'), by: somebody });
    return undefined;
  }
  const { base } = queued.run;
  const reading = await run.readSettings({ base, ...askedBy(queued) });
  if (reading.outcome === 'misconfigured') {
    await stopForConfiguration(run, options, reading);
    return undefined;
  }
  const { default_branch } = reading;
  const settings = settingsOfWork(queued, reading.settings);
  const resources = await options.services.resources(mirror, settings);
  if (options.signal.aborted) return undefined;
  const { holder, services } = options;
  const hold = newLease({ ...queued, settings }, { holder, job: services.job }, services.clock.now());
  const workspaces = new Workspaces(resources);
  const isAttempt = queued.standing.work === 'attempt';
  const resumed = isAttempt
    ? await resumedFrom(mirror, { run, state: queued, head }, (problem) => options.services.log.warn(problem))
    : undefined;
  const goingOn = resumed !== undefined && { resumed };
  // Allowed work and an undo are verified at another commit, and so is what begins with the base.
  if (queued.standing.work !== 'land' && queued.standing.undoes === undefined && !queued.merges_base)
    workspaces.prepare({ state: { ...queued, settings }, hold, commit: head, default_branch, ...goingOn });
  const isOpen = resources.sandbox.kind === 'none' && settings.sandbox !== 'required';
  const lease = { hold, head, base, settings, ...(isOpen && { unsandboxed: true as const }) };
  const state = await takeLease(run, options, lease).catch(async (fault: unknown) => {
    await cleanUp(workspaces, { run, options });
    throw fault;
  });
  if (state !== undefined) {
    const live = new LiveAttempt(run, options, { hold, state });
    options.onLive(live);
    return {
      run,
      options,
      hold,
      default_branch,
      live,
      resources: { ...resources, workspaces },
      workspaces,
      state,
      ...goingOn,
    };
  }
  await cleanUp(workspaces, { run, options });
  return undefined;
}

/** With the agent of the stage that is due, unless whoever steered has named another. */
function settingsOfWork(queued: In<'queued'>, settings: Settings): Settings {
  if (queued.standing.work !== 'attempt' || settings.stages === undefined) return settings;
  const isNamed = currentIteration(queued).steers.some((steer) => steer.with !== undefined);
  const stage = stageOf({ ...queued, settings });
  return isNamed ? settings : withProfile(settings, stage.agent);
}

/** A configuration that cannot be used stops the run, which does not go on with the former one. */
async function stopForConfiguration(
  run: AttemptedRun,
  { services }: AttemptOptions,
  reading: Misconfigured,
): Promise<void> {
  const reference = newReference();
  const what = misconfiguration(reading);
  services.log.warn(`stopped ${run.name} (${reference}): ${what}`);
  const at = services.clock.now().toISOString();
  await run.record({
    ...{ type: 'run_failed', id: `run_failed:${reference}`, at },
    ...{ reference, what, because: 'configuration' },
  });
}

/** Undefined if another process got the lease, or the base has changed since the settings were read. */
async function takeLease(
  run: AttemptedRun,
  options: AttemptOptions,
  lease: Pick<EventOf<'attempt_started'>, 'hold' | 'head' | 'base' | 'settings' | 'unsandboxed'>,
): Promise<State | undefined> {
  const { state } = await run.record({ type: 'attempt_started', ...stamp(options, 'started'), ...lease });
  if (!holdsLease(state, lease.hold)) return undefined;
  options.onLeased();
  return state;
}

/**
 * The agent's part. Its commits are pushed to the branch together with their record, unless the CI of the
 * repository must not run them before a human has allowed it.
 */
async function doWork(job: LeasedWork, state: In<'working'>): Promise<State | undefined> {
  const { options, hold, default_branch, resources, live, resumed, merge } = job;
  const assignment = { state, hold, default_branch, limits: () => live.limits() };
  const { signal } = options;
  const context = await issueContextOf(state, job.run.repository, options.services.log, signal);
  const given = {
    ...{ ...assignment, commit: state.head },
    ...(context !== undefined && { context }),
    ...(resumed !== undefined && { resumed }),
    ...(merge !== undefined && { merge }),
  };
  const outcome = await work(given, resources, { signal, live });
  await live.told();
  if (outcome.kind === 'cancelled') return undefined;
  if (outcome.kind === 'parked') return recordParked(job, outcome);
  if (outcome.kind === 'failed') return recordFailed(job, outcome);
  const { work: done, gates, artefacts } = outcome;
  const hits = holdingHits(state, gates);
  const met = observations(outcome);
  if (hits.length > 0) return holdWork(job, { work: done, hits, ...met }, artefacts);
  const isLast = stageAfter(state, stageOf(state)) === undefined;
  // What GitHub signs is another commit, which is not known yet.
  if (isLast && state.settings.verify_against !== 'merge' && !hasSigned(state))
    job.workspaces.prepare({ ...assignment, commit: done.head });
  return finishWork(job, done, { artefacts, cost: done.cost, gates, ...met });
}

function isQueued(state: State): state is In<'queued'> {
  return state.standing.phase === 'queued';
}

function isWorking(state: State): state is In<'working'> {
  return state.standing.phase === 'working';
}
