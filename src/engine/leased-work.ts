import type { AttemptResources, Live, Workspaces } from '../agent/index.ts';
import type { Assignment } from '../agent/port/assignment.ts';
import type { Mirror } from '../git/mirror.ts';
import type { Log } from '../github/octokit/connect.ts';
import { GitHubFault } from '../github/octokit/fault.ts';
import { demandsSignatures } from '../github/read/branch-rules.ts';
import type { Alternative, Attachments, CodeMove, CodeRefusal, KeptCommit } from '../ledger/attachments.ts';
import { retry } from '../repository/faults.ts';
import type { FormerRuns } from '../repository/former-runs.ts';
import type { Clock } from '../repository/github-clock.ts';
import type { ProgressBoard } from '../repository/progress-board.ts';
import { NotSigned, signedByGitHub } from '../repository/signing.ts';
import { decide } from '../steering/decide.ts';
import { hasSigned } from '../steering/iterations/authorship.ts';
import { attemptDue, stageOf } from '../steering/iterations/iteration.ts';
import { maxAsks, usualPermissions } from '../steering/permission/permitted-calls.ts';
import type { Observations } from '../steering/shapes/attempt-result.ts';
import { longestTrialsS } from '../steering/shapes/proof.ts';
import { longestHoldS, questionLimits } from '../steering/shapes/question.ts';
import type { Settings } from '../steering/shapes/settings.ts';
import type { Job, Lease } from '../steering/shapes/standing.ts';
import type { Event, EventOf, Stamp } from '../steering/state/event.ts';
import type { State } from '../steering/state/state.ts';
import type { AttemptedRun } from './engine.ts';
import { objectionToPush } from './push-target.ts';

/** What attempts in this process need. */
export interface AttemptServices {
  readonly log: Log;
  readonly clock: Clock;
  /** A unique name: results count only under the name that holds the lease. */
  nextHolder(): string;
  /** How long an agent is held until somebody answers its question, in milliseconds; then it is stopped. */
  readonly holdQuestionsMs: number;
  /** The job of GitHub Actions that this process is. */
  readonly job?: Job;
  /** Where people can see what agents are doing. */
  readonly progress?: ProgressBoard | undefined;
  /** What former runs came to; absent where nobody can prove that. */
  readonly formerRuns?: Pick<FormerRuns, 'merged'> | undefined;
  /** Whether other processes may record events of the same runs. */
  hasOthers(): boolean;
  /** Called when work is about to begin, under these settings. */
  resources(mirror: Mirror, settings: Settings): Promise<AttemptResources>;
}

export interface AttemptOptions {
  readonly services: AttemptServices;
  readonly holder: string;
  readonly signal: AbortSignal;
  /** Called when the lease is ours. */
  onLeased(): void;
  /** Called with a state that another process has recorded. */
  onState(state: State): void;
  /** Called when the agent begins or ends to wait for people: meanwhile it takes nobody's place. */
  onWaiting(waits: boolean): void;
  /** Called with what has to see every state from now on. */
  onLive(live: { see(state: State): void }): void;
}

/** Ends nothing by itself: somebody has to stop it. */
export interface SteerWatch {
  /** Aborted once somebody has steered. */
  readonly steered: AbortSignal;
  end(): void;
}

/** Work under our lease. */
export interface LeasedWork extends Pick<Assignment, 'default_branch' | 'resumed' | 'merge'> {
  readonly run: AttemptedRun;
  readonly options: AttemptOptions;
  readonly hold: Lease;
  readonly resources: AttemptResources;
  readonly workspaces: Workspaces;
  /** The run, for an agent at work. */
  readonly live: Live & { told(): Promise<void>; awaitSteers(): SteerWatch };
  /** The state when the job, or its verification, started. */
  readonly state: State;
}

type Failed = Omit<EventOf<'work_failed'>, 'type' | 'hold' | keyof Stamp>;

/** The event for work that came to nothing. */
export function failed(
  { options, hold }: LeasedWork,
  { failure, kept, kept_ref, left, duration_s, cost, ran = [], ...outcome }: Failed,
): EventOf<'work_failed'> {
  const event = { ...stamp(options, 'failed'), hold, failure, kept, duration_s, ...observations(outcome) };
  return {
    ...{ type: 'work_failed', ...event },
    ...(kept_ref !== undefined && { kept_ref }),
    ...(cost !== undefined && { cost }),
    ...(ran.length > 0 && { ran }),
    ...(left !== undefined && { left }),
  };
}

/** What the programs of an attempt met besides their results, as part of its event. */
export function observations({ blocked = [], notices = [], heard = [] }: Observations): Observations {
  return {
    ...(blocked.length > 0 && { blocked }),
    ...(notices.length > 0 && { notices }),
    ...(heard.length > 0 && { heard }),
  };
}

type Load = Omit<Attachments, 'otherwise' | 'code'> & {
  /** What to record if the code is refused; the ref that keeps it all the same, if one does. */
  readonly otherwise: (refusal: CodeRefusal, kept_ref?: string) => Event;
  /** What to keep then; nothing if it must not be kept on the remote. */
  readonly keep?: (refusal: CodeRefusal) => KeptCommit | undefined;
};

/** Results are expensive, so if the ledger cannot be reached, recording is retried. */
export async function report(job: LeasedWork, event: Event, load: Load): Promise<State | undefined> {
  const { run, options } = job;
  const otherwise = (refusal: CodeRefusal) => alternativeTo(load, refusal);
  const record = async () => (await run.record(event, { ...load, otherwise })).state;
  return keepTrying(record, { doing: `record ${event.type} of ${run.name}`, options });
}

/**
 * Records a result with code for the branch, and retries as `report` does. Every commit of ours that gets onto
 * a branch with a record comes through here. What happened is said of the commit that lands: where GitHub
 * signs it, that is another one.
 */
export async function reportCode(
  job: LeasedWork,
  code: CodeMove,
  event: (head: string) => Event,
  load: Load,
): Promise<State | undefined> {
  const { run, options } = job;
  const otherwise = (refusal: CodeRefusal) => alternativeTo(load, refusal);
  let signed: CodeMove | CodeRefusal | undefined;
  const record = async () => {
    const refusal = await objectionTo(load, job);
    // Once is enough, however often it is pushed.
    if (refusal === undefined) signed ??= await signedMove(code, job);
    const move = refusal ?? signed ?? code;
    if ('to' in move) return (await run.record(event(move.to), { ...load, code: move, otherwise })).state;
    const instead = otherwise(move);
    return (await run.record(instead.event, { ...load, otherwise, ...instead.attachments })).state;
  };
  return keepTrying(record, { doing: `record ${event(code.to).type} of ${run.name}`, options });
}

async function objectionTo(load: Load, { run, state }: LeasedWork): Promise<CodeRefusal | undefined> {
  const known = run.newest && load.objection?.(run.newest);
  if (known !== undefined) return known;
  const message = await objectionToPush(run, state);
  return message === undefined ? undefined : { kind: 'declined', message };
}

/**
 * With GitHub's signature, if the run's commits have it or a rule of its branch demands it by now; why there
 * is none, if it cannot be had.
 */
async function signedMove(code: CodeMove, { run, state }: LeasedWork): Promise<CodeMove | CodeRefusal> {
  const { repository } = run;
  const isLeftOpen = state.settings.commits?.sign === undefined;
  const isSigned =
    hasSigned(state) ||
    (isLeftOpen && (await demandsSignatures(repository.octokit, repository, code.branch)));
  if (!isSigned) return code;
  try {
    return { ...code, to: await signedByGitHub(repository, code.to) };
  } catch (fault) {
    const isFinal = fault instanceof NotSigned || (fault instanceof GitHubFault && !fault.retriable);
    if (!isFinal) throw fault;
    return { kind: 'declined', message: fault.message };
  }
}

/** Code that is refused is kept under a ref of its own, unless that is refused, too, or must not be. */
function alternativeTo(load: Load, refusal: CodeRefusal): Alternative {
  const recording = (kept_ref?: string): Alternative => {
    const event = load.otherwise(refusal, kept_ref);
    return { event, decide: (before) => decide(before, event) };
  };
  const kept = load.keep?.(refusal);
  if (kept === undefined) return recording();
  // A ref that is named after the commit and already there keeps it.
  const otherwise = ({ kind }: CodeRefusal) => recording(kind === 'moved' ? kept.ref : undefined);
  return { ...recording(kept.ref), attachments: { kept, otherwise } };
}

/** Retries for a few minutes, because attempts and their results are expensive. */
export function keepTrying<T>(
  act: () => Promise<T>,
  { doing, options }: { doing: string; options: AttemptOptions },
): Promise<T> {
  const { services, signal } = options;
  return retry(act, { doing, log: services.log, signal, firstWaitMs: 2_000, factor: 4 });
}

/** Ids come from causes: this holder, and what happened. */
export function stamp({ services, holder }: AttemptOptions, what: string): Stamp {
  return { id: `attempt:${holder}:${what}`, at: services.clock.now().toISOString() };
}

/** Extra time for pushes, checkouts and a slow GitHub, on top of all time limits of the work. */
const graceS = 120;

/** A lease for the queued work. */
export function newLease(
  state: State,
  { holder, job }: { readonly holder: string; readonly job?: Job | undefined },
  now: Date,
): Lease {
  const { standing, iteration, settings } = state;
  const isAttempt = standing.phase === 'queued' && standing.work === 'attempt';
  const until = new Date(now.getTime() + longest(state, isAttempt) * 1000).toISOString();
  const stage = isAttempt && settings.stages !== undefined && { stage: stageOf(state).name };
  const id = { iteration, attempt: attemptDue(state), ...stage, holder };
  return { ...id, since: now.toISOString(), until, ...(job && { job }) };
}

/**
 * The sum of a job's time limits in seconds: the agent's part with its questions, setup, each verifier, what
 * is run to prove or compare the result, and the second opinion.
 */
function longest({ settings }: State, withAgent: boolean): number {
  const verifiers = settings.verifiers.reduce((total, { timeout_s }) => total + timeout_s, 0);
  const part = settings.limits.minutes * 60;
  const { hold_s } = settings.permissions ?? usualPermissions;
  const opinion = settings.review === undefined ? 0 : part;
  const once = graceS + verifiers + part + longestTrialsS(settings) + opinion;
  const held = maxAsks * hold_s + questionLimits.ofRun * longestHoldS;
  return once + (withAgent ? part + held : 0);
}
