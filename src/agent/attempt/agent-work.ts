import { writeFile } from 'node:fs/promises';
import { modelProblem } from '../../config/model-problem.ts';
import { WorktreeUnusable } from '../../git/untrusted-worktree.ts';
import { untrackedIn } from '../../git/worktree.ts';
import { keyNamesOf } from '../../network/model/providers.ts';
import { isPlanning } from '../../steering/iterations/iteration.ts';
import type {
  Changes,
  Cost,
  Failure,
  GateHit,
  Observations,
  Report,
  ToolCall,
  Work,
} from '../../steering/shapes/attempt-result.ts';
import { redact, redactAll } from '../../text/redact.ts';
import { listed } from '../acp/tool-calls.ts';
import { ProgressOf, ReasoningLog, withAnswers } from '../port/agent-activity.ts';
import type { Image, Live, Outcome } from '../port/agent-adapter.ts';
import {
  type Artefact,
  type Assignment,
  type AttemptResources,
  attemptFolder,
  heardIn,
  type LeftBehind,
  secondsSince,
  type WorkOutcome,
} from '../port/assignment.ts';
import { promptFile, type SandboxContext } from '../port/sandboxed-run.ts';
import { stageOutcome } from '../port/stage-outcome.ts';
import { promptFor } from '../prompts/prompt.ts';
import { costOf, observationsOf } from './attempt-limits.ts';
import { changedBy, commitWork, conflictsFor, notResolved, skipsCi } from './commits.ts';
import { readGiving } from './instructions.ts';
import { judgedBy, judgedChanges } from './judged-changes.ts';
import { runAgent, type Working } from './run-agent.ts';
import { inWorkspace, setUp } from './workspace.ts';

/**
 * One execution of the agent, from a fresh worktree to a commit in the mirror. Returns no secrets. Without a
 * live run nobody can be asked, and what a rule matches is denied.
 */
export async function work(
  assignment: Assignment,
  resources: AttemptResources,
  { signal, live }: { readonly signal: AbortSignal; readonly live?: Live },
): Promise<WorkOutcome> {
  const began = performance.now();
  const attempt: Attempt = {
    assignment,
    resources,
    live,
    progress: new ProgressOf(),
    prompt: redact(promptFor(assignment.state), resources.secrets),
    log: new ReasoningLog(undefined, earlierLog(assignment)),
    found: {},
    until: began + assignment.state.settings.limits.minutes * 60_000,
  };
  const result = await runAttempt(attempt, signal);
  const duration_s = secondsSince(began);
  const { observations = {}, cost = {}, ran = [] } = attempt.found;
  const hasCost = Object.keys(cost).length > 0;
  if (result.kind === 'cancelled')
    return { ...result, ...(hasCost && { cost }), ...(ran.length > 0 && { ran }) };
  if (result.kind === 'failed' || result.kind === 'parked') {
    const artefacts = artefactsOf(attempt, null);
    const known = { duration_s, artefacts, cost, ran, ...observations };
    if (result.kind === 'failed')
      return { ...result, failure: redactAll(result.failure, resources.secrets), ...known };
    return { ...result, tool_calls: redactAll(result.tool_calls, resources.secrets), ...known };
  }
  const { head, changes, gates, plan } = result;
  const tool_calls = withEarlierCalls(assignment, result.report.tool_calls);
  const report = redactAll({ ...result.report, tool_calls }, resources.secrets);
  const skips = head !== assignment.commit && skipsCi(assignment.state);
  const done: Work = {
    ...{ head_before: assignment.commit, head, report, changes, cost, duration_s },
    ...(ran.length > 0 && { ran }),
    ...(skips && { skips_ci: true }),
    ...(plan !== undefined && { plan: redactAll(plan, resources.secrets) }),
    ...(assignment.merge && head !== assignment.commit && { merges: assignment.merge.tip }),
  };
  return {
    kind: 'finished',
    work: done,
    gates: redactAll(gates, resources.secrets),
    artefacts: artefactsOf(attempt, changes, done.plan?.text),
    ...observations,
  };
}

interface Attempt extends Pick<Working, 'assignment' | 'resources' | 'live' | 'log' | 'progress'> {
  /** What the agent is given is added once it is known. */
  prompt: string;
  /** What is known when its programs have ended. */
  found: {
    readonly observations?: Observations;
    readonly cost?: Cost;
    readonly ran?: readonly GateHit[];
    readonly near?: readonly string[];
  };
  /** The deadline of the whole attempt, by `performance.now()`. */
  readonly until: number;
}

type AttemptResult = Readonly<
  | {
      kind: 'result';
      head: string;
      changes: Changes;
      gates: readonly GateHit[];
      report: Report;
      plan?: Work['plan'];
    }
  | Pick<Extract<WorkOutcome, { kind: 'failed' }>, 'kind' | 'failure' | 'left'>
  | Pick<Extract<WorkOutcome, { kind: 'parked' }>, 'kind' | 'because' | 'left' | 'until' | 'tool_calls'>
  | { kind: 'cancelled' }
>;

async function runAttempt(attempt: Attempt, signal: AbortSignal): Promise<AttemptResult> {
  const { assignment, resources, log } = attempt;
  const refusal = missingSandbox(assignment, resources) ?? missingKey(assignment, resources);
  if (refusal !== null) return { kind: 'failed', failure: refusal, left: null };
  if (resources.sandbox.note !== null) log.add({ type: 'notice', text: resources.sandbox.note });
  return inWorkspace(assignment, resources, (context) => watched(context, attempt, signal)).catch(
    (fault: unknown) => ({ kind: 'failed', failure: worktreeFailure(fault), left: null }),
  );
}

async function watched(
  context: SandboxContext,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<AttemptResult> {
  try {
    return await workIn(context, attempt, signal);
  } finally {
    const { assignment, resources, log } = attempt;
    const met = observationsOf(context.network, assignment.state.settings, resources.secrets);
    const unread = assignment.context?.notice ?? [];
    const notices = [...(met.notices ?? []), ...(attempt.found.near ?? []), ...[unread].flat()];
    const heard = heardIn(assignment.context);
    const observations = {
      ...met,
      ...(notices.length > 0 && { notices }),
      ...(heard.length > 0 && { heard }),
    };
    const cost = costOf(context.network.spentAtEnd(), log.cost);
    attempt.found = { ...attempt.found, observations, cost };
  }
}

/** A failure where the agent could not reach its model; a kit that nobody has made knows of no keys. */
export function missingKey({ state }: Assignment, { network }: AttemptResources): Failure | null {
  if (network === undefined) return null;
  const problem = modelProblem(state.settings, keyNamesOf(network.providers));
  return problem === undefined ? null : { kind: 'model_key', message: problem };
}

/** A failure where the repository requires a sandbox and there is none; else null. */
export function missingSandbox({ state }: Assignment, { sandbox }: AttemptResources): Failure | null {
  if (state.settings.sandbox !== 'required' || sandbox.kind !== 'none') return null;
  return {
    kind: 'sandbox',
    message:
      `the sandbox is required, but ${sandbox.problem}; ` +
      'to go on without one, write `sandbox: preferred` in the configuration',
  };
}

/** Rethrows what is not the fault of whoever made the files. */
export function worktreeFailure(fault: unknown): Failure {
  if (!(fault instanceof WorktreeUnusable)) throw fault;
  return { kind: 'worktree', message: fault.message };
}

async function workIn(
  context: SandboxContext,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const { assignment, resources, log } = attempt;
  const { setup } = assignment.state.settings;
  const giving = await readGiving(context, assignment, resources);
  if (giving.kind === 'failed') return { ...giving, left: null };
  const conflicts = await conflictsFor(assignment, resources.mirror);
  const given = { ...giving.given, ...assignment.resumed, ...(conflicts && { conflicts }) };
  attempt.prompt = redact(promptFor(assignment.state, given), resources.secrets);
  // Written before any program of the branch runs, which could put a symbolic link there.
  await writeFile(promptFile(context), attempt.prompt);
  attempt.live?.progress(attempt.progress.now({}, { near: [], secrets: resources.secrets }));
  const { reruns } = assignment.state.settings.flaky ?? { reruns: 0 };
  const limits = { timeoutMs: timeLeft(attempt), signal, reruns };
  const ready = await setUp(context, setup, limits);
  if (ready.kind === 'cancelled' || signal.aborted) return { kind: 'cancelled' };
  if (ready.kind === 'failed') return { ...ready, left: null };
  const madeBySetup = setup.length > 0 ? await untrackedIn(resources.mirror, context.workspace) : [];
  const overlay = await giving.place();
  attempt.progress.enter('agent');
  const { outcome, parked, calls, ...known } = await runAgent(
    context,
    { ...attempt, images: imagesFor(assignment), skills: giving.skills, timeoutMs: timeLeft(attempt) },
    signal,
  );
  const near = redactAll([...ready.notices, ...(known.near ?? [])], resources.secrets);
  attempt.found = { ...known, near };
  const commit = (summary: string, merges?: string): Promise<string | undefined> =>
    commitWork(context, { assignment, resources }, { summary, madeBySetup, overlay, merges });
  const stop = signal.aborted ? { because: 'stopped' as const } : stopOf(outcome, parked);
  if (stop !== null) {
    log.add({ type: 'notice', text: `the agent was stopped (${stop.because.replaceAll('_', ' ')})` });
    const left = await leftBehind(attempt, commit('Unfinished work'));
    return { kind: 'parked', ...stop, left, tool_calls: withEarlierCalls(assignment, calls) };
  }
  if (outcome.kind === 'failed') {
    log.add({ type: 'notice', text: outcome.failure.message });
    return { ...outcome, left: await leftBehind(attempt, commit('Changes of a failed attempt')) };
  }
  if (outcome.kind !== 'completed') return { kind: 'cancelled' };
  log.add({ type: 'notice', text: 'the agent has finished' });
  const { merge } = assignment;
  const isMerged = outcome.report.status !== 'cannot';
  const head = (await commit(outcome.report.summary, isMerged ? merge?.tip : undefined)) ?? assignment.commit;
  const unresolved = isMerged ? await notResolved(assignment, resources.mirror, head) : undefined;
  if (unresolved === undefined) return resultOf(context, attempt, outcome, head, signal);
  log.add({ type: 'notice', text: unresolved.message });
  return { kind: 'failed', failure: unresolved, left: null };
}

const nothing: Changes = { files: [], summary: '0 files changed, +0, -0' };

/** What a stage came to whose agent has finished. Of one that plans, only the plan is kept. */
async function resultOf(
  context: SandboxContext,
  attempt: Attempt,
  { report, said = report.summary }: Extract<Outcome, { kind: 'completed' }>,
  head: string,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const { assignment, resources, log } = attempt;
  const { commit: base, state } = assignment;
  const ended = { context, assignment, resources, head, said, timeLeftMs: () => timeLeft(attempt) };
  const stage = await stageOutcome({ ...ended, signal });
  if (stage.kind === 'cancelled') return stage;
  if (stage.kind === 'failed') {
    log.add({ type: 'notice', text: stage.failure.message });
    const kept = isPlanning(state) || head === base ? undefined : head;
    return { ...stage, left: await leftBehind(attempt, Promise.resolve(kept)) };
  }
  if (stage.plan !== undefined)
    return { kind: 'result', head: base, changes: nothing, gates: [], report, plan: stage.plan };
  const judging = { ...(await changedBy(assignment, resources.mirror, head)), ...judgedBy(state.settings) };
  const { changes, gates } = await judgedChanges(resources.mirror, judging);
  return { kind: 'result', head, changes, gates, report };
}

/** The state has all of them, however often the agent is stopped. */
function withEarlierCalls({ state }: Assignment, calls: readonly ToolCall[]): readonly ToolCall[] {
  return listed([...(state.parked?.tool_calls ?? []), ...calls]);
}

function imagesFor({ context }: Assignment): readonly Image[] {
  return (context?.images ?? []).map(({ image }) => image);
}

type Stop = Pick<Extract<WorkOutcome, { kind: 'parked' }>, 'because' | 'until'>;

/** Why the agent was stopped before it had finished; null if it ended by itself. */
function stopOf(outcome: Outcome, parked: 'question' | 'permission' | undefined): Stop | null {
  if (parked !== undefined) return { because: parked };
  if (outcome.kind === 'cancelled') return { because: 'stopped' };
  if (outcome.kind !== 'limited') return null;
  return { because: 'rate_limit', ...(outcome.until !== null && { until: outcome.until }) };
}

/** Why the agent ended matters more than that its files cannot be committed either. */
async function leftBehind(
  { assignment, resources }: Attempt,
  committing: Promise<string | undefined>,
): Promise<LeftBehind | null> {
  const head = await committing.catch((fault: unknown) => {
    worktreeFailure(fault);
    // What it had gone on from is not lost with it.
    return assignment.resumed?.commit;
  });
  if (head === undefined) return null;
  const changed = await changedBy(assignment, resources.mirror, head);
  const judging = { ...changed, ...judgedBy(assignment.state.settings) };
  const { gates } = await judgedChanges(resources.mirror, judging);
  return { head, gates };
}

/** The log of the attempt that this one goes on from, and what people have answered since. */
function earlierLog({ resumed, state }: Assignment): string {
  const { because = 'failed' } = state.parked ?? {};
  return because === 'failed' || resumed?.log === undefined ? '' : withAnswers(resumed.log, state);
}

function timeLeft({ until }: Attempt): number {
  return Math.max(until - performance.now(), 1);
}

function artefactsOf(
  { assignment, resources, prompt, log }: Attempt,
  changes: Changes | null,
  plan?: string,
): readonly Artefact[] {
  const folder = attemptFolder(assignment.hold);
  const files = [
    { path: `${folder}/prompt.md`, content: prompt },
    { path: `${folder}/reasoning.md`, content: redact(log.text(), resources.secrets) },
  ];
  if (changes === null) return files;
  return [
    ...files,
    { path: `${folder}/changes.json`, content: `${JSON.stringify(changes, null, 2)}\n` },
    ...(plan === undefined ? [] : [{ path: `${folder}/plan.md`, content: `${plan}\n` }]),
  ];
}
