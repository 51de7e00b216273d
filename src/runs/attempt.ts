import { type AttemptResources, verify, Workspaces, work } from '../agent/index.ts';
import type { Misconfigured } from '../config/read.ts';
import type { Mirror } from '../git/mirror.ts';
import type { Attachments } from '../ledger/attachments.ts';
import type { Failure } from '../steering/attempt-result.ts';
import { decide } from '../steering/decide.ts';
import type { Event, EventOf, Stamp } from '../steering/event.ts';
import { holdsLease } from '../steering/fence.ts';
import type { Lease } from '../steering/lease.ts';
import type { In, State } from '../steering/state.ts';
import { misconfiguration } from './configuration.ts';
import { messageOf, newReference } from './faults.ts';
import type { Clock } from './github-clock.ts';
import { newLease } from './new-lease.ts';
import { objectionToPush } from './push-target.ts';
import { retry } from './retry.ts';
import type { Run } from './run.ts';
import type { Services } from './services.ts';

/** What attempts in this process need. */
export interface AttemptServices {
  readonly log: Services['log'];
  readonly clock: Clock;
  /** A unique name: results count only under the name that holds the lease. */
  nextHolder(): string;
  resources(mirror: Mirror): AttemptResources;
}

export interface AttemptOptions {
  readonly services: AttemptServices;
  readonly holder: string;
  readonly signal: AbortSignal;
  /** Called when the lease is ours. */
  onLeased(): void;
}

/** Takes the queued work, runs the agent and the verifiers, and records the results. */
export async function attempt(run: Run, options: AttemptOptions): Promise<void> {
  const job = await keepTrying(() => take(run, options), {
    doing: `start the work on ${run.name}`,
    options,
  });
  if (job === undefined) return;
  try {
    await workAndVerify(job);
  } finally {
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

interface LeasedWork {
  readonly run: Run;
  readonly options: AttemptOptions;
  readonly hold: Lease;
  /** Whose configuration the attempt follows. */
  readonly default_branch: string;
  readonly resources: AttemptResources;
  readonly workspaces: Workspaces;
  /** The state when the job, or its verification, started. */
  readonly state: State;
}

async function workAndVerify(job: LeasedWork): Promise<void> {
  const { state } = job;
  const worked = isWorking(state) ? await doWork(job, state) : state;
  if (!holdsLease(worked, job.hold) || worked.standing.phase !== 'verifying') return;
  // Someone changed the base meanwhile, perhaps to a branch that did not exist before.
  if (worked.run.base !== state.run.base) await job.resources.mirror.fetch();
  await doVerify({ ...job, state: worked });
}

async function take(run: Run, options: AttemptOptions): Promise<LeasedWork | undefined> {
  const { newest: queued, repository } = run;
  if (queued?.standing.phase !== 'queued') return undefined;
  const mirror = await repository.mirror();
  await mirror.fetch();
  const head = await mirror.resolve(`refs/heads/${queued.run.branch}`);
  if (head === undefined) {
    await run.record({ type: 'branch_deleted', ...stamp(options, 'branch_gone'), by: 'somebody' });
    return undefined;
  }
  const { base } = queued.run;
  const reading = await run.readSettings({ base, overrides: queued.overrides });
  if (reading.outcome === 'misconfigured') {
    await stopForConfiguration(run, options, reading);
    return undefined;
  }
  const { settings, default_branch } = reading;
  const hold = newLease({ ...queued, settings }, options.holder, options.services.clock.now());
  const resources = options.services.resources(mirror);
  const workspaces = new Workspaces(resources);
  workspaces.prepare({ state: queued, hold, commit: head, default_branch });
  const lease = { hold, head, base, settings };
  const state = await takeLease(run, options, lease).catch(async (fault: unknown) => {
    await cleanUp(workspaces, { run, options });
    throw fault;
  });
  if (state !== undefined)
    return { run, options, hold, default_branch, resources: { ...resources, workspaces }, workspaces, state };
  await cleanUp(workspaces, { run, options });
  return undefined;
}

/** A configuration that cannot be used stops the run, which does not go on with the former one. */
async function stopForConfiguration(
  run: Run,
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
  run: Run,
  options: AttemptOptions,
  lease: Pick<EventOf<'attempt_started'>, 'hold' | 'head' | 'base' | 'settings'>,
): Promise<State | undefined> {
  const { state } = await run.record({ type: 'attempt_started', ...stamp(options, 'started'), ...lease });
  if (!holdsLease(state, lease.hold)) return undefined;
  options.onLeased();
  return state;
}

/** The agent's part. Its commits are pushed to the branch together with their record. */
async function doWork(job: LeasedWork, state: In<'working'>): Promise<State | undefined> {
  const { options, hold, default_branch, resources } = job;
  const assignment = { state, hold, default_branch };
  const outcome = await work({ ...assignment, commit: state.head }, resources, options.signal);
  if (outcome.kind === 'cancelled') return undefined;
  const { artefacts } = outcome;
  if (outcome.kind === 'failed') {
    return report(job, failed(job, outcome), { artefacts, otherwise: () => failed(job, outcome) });
  }
  const { work: done } = outcome;
  job.workspaces.prepare({ ...assignment, commit: done.head });
  const event: Event = { type: 'work_finished', ...stamp(options, 'work'), hold, work: done };
  const code = { branch: state.run.branch, from: done.head_before, to: done.head };
  const otherwise = ({ kind, message }: { kind: 'moved' | 'declined'; message: string }) =>
    failed(job, {
      failure: { kind: kind === 'moved' ? 'branch_moved' : 'push_refused', message },
      kept: done.head,
      duration_s: done.duration_s,
    });
  return report(job, event, { ...(done.head === done.head_before ? {} : { code }), artefacts, otherwise });
}

async function doVerify(job: LeasedWork): Promise<void> {
  const { options, hold, default_branch, resources, state } = job;
  const assignment = { state, hold, default_branch, commit: state.head };
  const outcome = await verify(assignment, resources, options.signal);
  if (outcome.kind === 'cancelled') return;
  const { artefacts } = outcome;
  const event = outcome.kind === 'failed' ? failed(job, outcome) : verified(job, outcome);
  await report(job, event, { artefacts, otherwise: () => event });
}

type Verified = Omit<EventOf<'verified'>, 'type' | 'hold' | keyof Stamp>;

function verified({ options, hold }: LeasedWork, outcome: Verified): EventOf<'verified'> {
  const { head, verifiers, changes, commits, gates, duration_s } = outcome;
  return {
    type: 'verified',
    ...stamp(options, 'verified'),
    hold,
    head,
    verifiers,
    changes,
    ...(commits !== undefined && { commits }),
    gates,
    duration_s,
  };
}

interface Failed {
  readonly failure: Failure;
  readonly kept: string | null;
  readonly duration_s: number;
}

function failed(
  { options, hold }: LeasedWork,
  { failure, kept, duration_s }: Failed,
): EventOf<'work_failed'> {
  return { type: 'work_failed', ...stamp(options, 'failed'), hold, failure, kept, duration_s };
}

type Load = Omit<Attachments, 'otherwise'> & {
  readonly otherwise: (refusal: { kind: 'moved' | 'declined'; message: string }) => Event;
};

/** Results are expensive, so if the ledger cannot be reached, recording is retried. */
async function report(job: LeasedWork, event: Event, load: Load): Promise<State | undefined> {
  const { run, options } = job;
  const otherwise: Attachments['otherwise'] = (refusal) => {
    const instead = load.otherwise(refusal);
    return { event: instead, decide: (before) => decide(before, instead) };
  };
  const record = async () => {
    const message = load.code === undefined ? undefined : await objectionToPush(run, job.state);
    if (message === undefined) return (await run.record(event, { ...load, otherwise })).state;
    const { code: _, ...rest } = load;
    const instead = load.otherwise({ kind: 'declined', message });
    return (await run.record(instead, { ...rest, otherwise })).state;
  };
  return keepTrying(record, { doing: `record ${event.type} of ${run.name}`, options });
}

/** Retries for a few minutes, because attempts and their results are expensive. */
function keepTrying<T>(
  act: () => Promise<T>,
  { doing, options }: { doing: string; options: AttemptOptions },
): Promise<T> {
  const { services, signal } = options;
  return retry(act, { doing, log: services.log, signal, firstWaitMs: 2_000, factor: 4 });
}

function isWorking(state: State): state is In<'working'> {
  return state.standing.phase === 'working';
}

/** Ids come from causes: this holder, and what happened. */
function stamp({ services, holder }: AttemptOptions, what: string): Stamp {
  return { id: `attempt:${holder}:${what}`, at: services.clock.now().toISOString() };
}
