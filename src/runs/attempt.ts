import { type Tools, verify, Workspaces, work } from '../agent/index.ts';
import type { Mirror } from '../git/mirror.ts';
import type { Cargo } from '../ledger/attachments.ts';
import { decide } from '../steering/decide.ts';
import type { Event, EventOf, Hold, Stamp } from '../steering/event.ts';
import type { Failure } from '../steering/evidence.ts';
import { isHeldBy } from '../steering/lease.ts';
import type { In, State } from '../steering/state.ts';
import { messageOf } from './faults.ts';
import { holdOf } from './lease.ts';
import type { Lane } from './live-run.ts';
import type { Clock, Workshop } from './services.ts';
import { pause } from './sleep.ts';

/** What attempts are made with in this process. */
export interface Bench {
  readonly log: Workshop['log'];
  readonly clock: Clock;
  /** A name nobody else has or had: results count only under the name that holds the attempt. */
  nextHolder(): string;
  tools(mirror: Mirror): Tools;
}

export interface Taking {
  readonly bench: Bench;
  readonly holder: string;
  readonly signal: AbortSignal;
  /** Called once the attempt is ours. */
  onHeld(): void;
}

/** Takes what is queued, works, verifies, and tells the run what came of it. */
export async function attempt(lane: Lane, taking: Taking): Promise<void> {
  const job = await insist(() => take(lane, taking), { doing: `take up ${lane.name}`, taking });
  if (job === undefined) return;
  try {
    await workAndVerify(job);
  } finally {
    await tidyUp(job.workspaces, { lane, taking });
  }
}

async function tidyUp(workspaces: Workspaces, { lane, taking }: Pick<Job, 'lane' | 'taking'>): Promise<void> {
  await workspaces.removeAll().catch((fault: unknown) => {
    taking.bench.log.warn(`could not tidy up after an attempt of ${lane.name}: ${messageOf(fault)}`);
  });
}

interface Job {
  readonly lane: Lane;
  readonly taking: Taking;
  readonly hold: Hold;
  readonly tools: Tools;
  readonly workspaces: Workspaces;
  /** As it was when the job was taken, or when its work was. */
  readonly state: State;
}

async function workAndVerify(job: Job): Promise<void> {
  const { state } = job;
  const worked = isWorking(state) ? await doWork(job, state) : state;
  if (isHeldBy(worked, job.hold) && worked.standing.phase === 'verifying')
    await doVerify({ ...job, state: worked });
}

async function take(lane: Lane, taking: Taking): Promise<Job | undefined> {
  const { newest: queued, repository } = lane;
  if (queued?.standing.phase !== 'queued') return undefined;
  const mirror = await repository.mirror();
  await mirror.fetch();
  const head = await mirror.resolve(`refs/heads/${queued.run.branch}`);
  if (head === undefined) {
    await lane.tell({ type: 'branch_deleted', ...stamp(taking, 'branch_gone'), by: 'somebody' });
    return undefined;
  }
  const hold = holdOf(queued, taking.holder, taking.bench.clock.now());
  const tools = taking.bench.tools(mirror);
  const workspaces = new Workspaces(tools);
  workspaces.prepare({ state: queued, hold, commit: head });
  const state = await begin(lane, taking, { hold, head }).catch(async (fault: unknown) => {
    await tidyUp(workspaces, { lane, taking });
    throw fault;
  });
  if (state !== undefined) return { lane, taking, hold, tools: { ...tools, workspaces }, workspaces, state };
  await tidyUp(workspaces, { lane, taking });
  return undefined;
}

/** Undefined when the attempt did not become ours. */
async function begin(
  lane: Lane,
  taking: Taking,
  { hold, head }: { hold: Hold; head: string },
): Promise<State | undefined> {
  const { state } = await lane.tell({ type: 'attempt_started', ...stamp(taking, 'started'), hold, head });
  if (!isHeldBy(state, hold)) return undefined;
  taking.onHeld();
  return state;
}

/** The agent's part. Its commits go to the branch in the same push that records them. */
async function doWork(job: Job, state: In<'working'>): Promise<State | undefined> {
  const { taking, hold, tools } = job;
  const outcome = await work({ state, hold, commit: state.head }, tools, taking.signal);
  if (outcome.kind === 'cancelled') return undefined;
  const { artefacts } = outcome;
  if (outcome.kind === 'failed') {
    return report(job, failed(job, outcome), { artefacts, otherwise: () => failed(job, outcome) });
  }
  const { work: done } = outcome;
  job.workspaces.prepare({ state, hold, commit: done.head });
  const event: Event = { type: 'work_finished', ...stamp(taking, 'work'), hold, work: done };
  const code = { branch: state.run.branch, from: done.head_before, to: done.head };
  const otherwise = ({ kind, message }: { kind: 'moved' | 'declined'; message: string }) =>
    failed(job, {
      failure: { kind: kind === 'moved' ? 'branch_moved' : 'push_refused', message },
      kept: done.head,
      duration_s: done.duration_s,
    });
  return report(job, event, { ...(done.head === done.head_before ? {} : { code }), artefacts, otherwise });
}

async function doVerify(job: Job): Promise<void> {
  const { taking, hold, tools, state } = job;
  const outcome = await verify({ state, hold, commit: state.head }, tools, taking.signal);
  if (outcome.kind === 'cancelled') return;
  const { artefacts } = outcome;
  const event = outcome.kind === 'failed' ? failed(job, outcome) : verified(job, outcome);
  await report(job, event, { artefacts, otherwise: () => event });
}

type Verified = Omit<EventOf<'verified'>, 'type' | 'hold' | keyof Stamp>;

function verified({ taking, hold }: Job, outcome: Verified): EventOf<'verified'> {
  const { head, verifiers, changes, gates, duration_s } = outcome;
  return {
    type: 'verified',
    ...stamp(taking, 'verified'),
    hold,
    head,
    verifiers,
    changes,
    gates,
    duration_s,
  };
}

interface Failed {
  readonly failure: Failure;
  readonly kept: string | null;
  readonly duration_s: number;
}

function failed({ taking, hold }: Job, { failure, kept, duration_s }: Failed): EventOf<'work_failed'> {
  return { type: 'work_failed', ...stamp(taking, 'failed'), hold, failure, kept, duration_s };
}

type Load = Omit<Cargo, 'otherwise'> & {
  readonly otherwise: (refusal: { kind: 'moved' | 'declined'; message: string }) => Event;
};

/** Work is dear: a ledger that cannot be reached now is tried again before the result is given up. */
async function report({ lane, taking }: Job, event: Event, load: Load): Promise<State | undefined> {
  const otherwise: Cargo['otherwise'] = (refusal) => {
    const instead = load.otherwise(refusal);
    return { event: instead, decide: (before) => decide(before, instead) };
  };
  const tell = async () => (await lane.tell(event, { ...load, otherwise })).state;
  return insist(tell, { doing: `record ${event.type} of ${lane.name}`, taking });
}

const triesAfterMs = [2000, 10_000, 30_000, 120_000];

/** Does what an outage may stop, and tries again for some minutes; everything done here may be done twice. */
async function insist<T>(
  act: () => Promise<T>,
  { doing, taking }: { doing: string; taking: Taking },
): Promise<T> {
  const { bench, signal } = taking;
  for (const ms of triesAfterMs) {
    try {
      return await act();
    } catch (fault) {
      bench.log.warn(`could not ${doing}, trying again in ${ms / 1000} s: ${messageOf(fault)}`);
      await pause(ms, signal);
    }
  }
  return act();
}

function isWorking(state: State): state is In<'working'> {
  return state.standing.phase === 'working';
}

/** Ids come from causes: this attempt, by this holder, and what it came to. */
function stamp({ bench, holder }: Taking, what: string): Stamp {
  return { id: `attempt:${holder}:${what}`, at: bench.clock.now().toISOString() };
}
