import { failingLines, flakinessOf } from '../confidence/verifier-results.ts';
import { bounded } from '../phrases/phrases.ts';
import type { GateHit, VerifierOutput, Work } from '../shapes/attempt-result.ts';
import { rulesIn } from '../shapes/gate-rules.ts';
import { promptSummary, type QueuedSteer, type Steer } from '../shapes/people.ts';
import type { Settings, Stage } from '../shapes/settings.ts';
import type { HeldWork, WorkKind } from '../shapes/standing.ts';
import type { Stamp } from '../state/event.ts';
import type { AttemptRecord, State, SteeringIteration } from '../state/state.ts';
import { settingAside, settledBy } from './interactions.ts';
import { type Next, next } from './step.ts';

/** The current iteration, which is the last in the list. */
export function currentIteration(state: State): SteeringIteration {
  const current = state.iterations.at(-1);
  if (current === undefined) throw new Error(`run ${state.run.id} has no iteration`);
  return current;
}

/** An iteration of which nothing is known yet but its steers. */
export function openIteration(
  number: number,
  at: string,
  from: { head: string; steers: readonly Steer[] },
): SteeringIteration {
  return {
    iteration_number: number,
    prompt: from.steers.map((steer) => steer.prompt).join('\n\n'),
    timestamp: at,
    steers: from.steers,
    files_modified: [],
    output: '',
    head_before: from.head,
    head_after: from.head,
    attempts: 0,
    score: null,
    verifiers: [],
    cost: {},
    duration_s: 0,
    landed: false,
  };
}

/** However often a run is extended: its state keeps every iteration. */
export const mostIterations = 100;

/** Whether one more iteration is allowed; all queued steers count as one. */
export function iterationsLeft(state: State): boolean {
  return state.iteration < state.max_iterations;
}

/** Starts the next iteration with these steers; all approvals are void. */
export function startIteration(state: State, event: Stamp, steers: readonly Steer[]): Next {
  const number = state.iteration + 1;
  const authors = [...new Set(steers.map((steer) => steer.author))].join(', ');
  const summary = promptSummary(steers.map(({ prompt }) => prompt).join(' '));
  const subject = `Start iteration ${number}, steered by ${authors}${summary && `: ${summary}`}`;
  const agent = steers.findLast((steer) => steer.with !== undefined)?.with;
  const { update } = currentIteration(state);
  // Whoever steers a merge that is not done yet has it done in their words.
  const merging = update?.done === false ? update : undefined;
  const end = { by: authors, how: 'steered' };
  const changed: Partial<State> = {
    ...newIteration(state, event, end, { steers, ...(merging && { update: merging }) }),
    ...{ approvals: [], queue: [] },
    ...(merging && { merges_base: true }),
    standing: { phase: 'queued', work: 'attempt' },
    ...stageAnew(state),
    ...(agent !== undefined && handedTo(state, agent)),
  };
  return next(withoutObservations(state), changed, subject);
}

/**
 * What changes with a new iteration, whoever begins it: the one before has landed, with `end` for whatever
 * was open in it, and the attempts are counted anew. `row` is what the table says of the new one.
 */
export function newIteration(
  state: State,
  event: Stamp,
  end: { readonly by: string; readonly how: string },
  row: Partial<SteeringIteration>,
): Partial<State> {
  const number = state.iteration + 1;
  const opened = openIteration(number, event.at, { head: state.head, steers: row.steers ?? [] });
  const before = updateIteration(state, { landed: true, attempts: state.attempt });
  return {
    ...settledBy(state, event, end),
    ...settingAside(state),
    ...{ iteration: number, attempt: 0, attempts_used: 0, times_lost: 0, attempts: [] },
    iterations: [...before, { ...opened, ...row }],
  };
}

/**
 * The task with the agent of this name, as if it had chosen that one itself: whenever the configuration is
 * read again, it is chosen again. No worker profile has the name of an agent of ours.
 */
export function handedTo(
  { task, overrides, settings: { profiles = [] } }: State,
  agent: string,
): Pick<State, 'task' | 'overrides'> {
  if (!profiles.includes(agent)) return { task, overrides: { ...overrides, agent } };
  const { agent: _, ...others } = overrides ?? {};
  return { task: { ...task, worker_profile: agent }, ...(overrides && { overrides: others }) };
}

/** The steers in the queue, without the queue's bookkeeping. */
export function steersIn(queue: readonly QueuedSteer[]): readonly Steer[] {
  return queue.map(({ id: _, at: __, ...steer }) => steer);
}

/** The work is due as soon as an engine has room. */
export function queueWork(state: State, work: WorkKind, subject: string): Next {
  return next(state, { standing: { phase: 'queued', work } }, subject);
}

/** The number of the attempt that is due or under way; a later stage belongs to the same one. */
export function attemptDue({ standing, attempt }: State): number {
  const isNew = standing.phase === 'queued' && standing.work === 'attempt' && !standing.goes_on;
  return isNew ? attempt + 1 : attempt;
}

/** The CI of the repository may run on the head, which then is a new one and verified again. */
export function queueCiStart(state: State, subject: string): Next {
  return next(state, { standing: { phase: 'queued', work: 'verify_head', starts_ci: true } }, subject);
}

/** Whether the CI of the repository has not run on the head, because nobody has let it. */
export function isCiSkipped({ ci_skipped, head }: State): boolean {
  return ci_skipped === head;
}

/** Held work that a human allowed is put on the branch, once an engine has room. */
export function queueLanding(state: State, held: HeldWork, subject: string): Next {
  return next(state, { standing: { phase: 'queued', work: 'land', held } }, subject);
}

/** Updates the current iteration with the result of an attempt or a verification. */
export function updateIteration(
  state: State,
  changed: Partial<SteeringIteration>,
): readonly SteeringIteration[] {
  return [...state.iterations.slice(0, -1), { ...currentIteration(state), ...changed }];
}

/** What is recorded of an attempt for later ones and for people. */
export function attemptRecord(state: State, ended: EndedAttempt): AttemptRecord {
  const { outcome, failure, kept_ref, verifiers = [], gates = [], files = [], cost = {} } = ended;
  const { subject, duration_s } = ended;
  const rules = rulesIn(gates);
  return {
    attempt: state.attempt,
    ...(outcome === 'failed' && state.settings.stages && { stage: stageOf(state).name }),
    outcome,
    head: state.head,
    failure,
    ...(kept_ref !== undefined && { kept_ref }),
    summary: failure?.message ?? state.report?.summary ?? '',
    verifiers: verifiers.map((output) => ({
      ...{ name: output.name, success: output.success, exit_code: output.exit_code },
      ...(!output.success && { said: failingLines(output) }),
      ...(!output.required && { required: output.required }),
      ...flakinessOf(output),
    })),
    ...(subject !== undefined && { subject }),
    ...(files.length > 0 && { files }),
    ...(rules.length > 0 && { gates: rules }),
    ...(Object.keys(cost).length > 0 && { cost }),
    duration_s,
  };
}

/** What is recorded of an agent that has finished, whatever becomes of its work. */
export function madeBy({ changes, cost }: Work): Required<Pick<AttemptRecord, 'files' | 'cost'>> {
  return { files: changes.files.slice(0, maxFiles).map(({ path }) => bounded(path, maxPath)), cost };
}

const maxFiles = 50;

const maxPath = 300;

type Known = 'outcome' | 'failure' | 'kept_ref' | 'subject' | 'files' | 'cost' | 'duration_s';

interface EndedAttempt extends Pick<AttemptRecord, Known> {
  readonly verifiers?: readonly VerifierOutput[];
  readonly gates?: readonly GateHit[] | undefined;
}

/**
 * The iteration in which the head was evaluated, or else put on the branch, by whomever. Times do not tell: a
 * steer can be older than the evaluation that was under way when it was heard, and clocks differ.
 */
export function iterationShown({ iterations, shown, head }: State): number {
  const isEvaluated = ({ score, head_after }: SteeringIteration) =>
    shown !== null && score !== null && head_after === head;
  const isOf = (each: SteeringIteration) => each.head_before !== head || isEvaluated(each);
  return iterations.findLast(isOf)?.iteration_number ?? 0;
}

/** The state of a new iteration, whose programs have met nothing yet. */
export function withoutObservations(state: State): State {
  const { blocked: _, notices: __, ...rest } = state;
  return rest;
}

export const implement: Stage = { name: 'implement' };
export const planStage = 'plan';

/** The stages of an attempt, never empty. */
export function stagesOf({ stages = [] }: Pick<Settings, 'stages'>): readonly Stage[] {
  return stages.length === 0 ? [implement] : stages;
}

type Staged = Pick<State, 'settings' | 'stage'>;

/** The stage that is at work, on show or due next. */
export function stageOf({ settings, stage }: Staged): Stage {
  const stages = stagesOf(settings);
  if (stage === undefined) return stages[0] ?? implement;
  return stages.find(({ name }) => name === stage) ?? wayBack(settings);
}

/** The stage after this one; undefined if it is the last. */
export function stageAfter({ settings }: Staged, { name }: Stage): Stage | undefined {
  const stages = stagesOf(settings);
  return stages[stages.findIndex((each) => each.name === name) + 1];
}

/** Where work goes on whose verifiers failed, or that is steered when it was done: a plan stands. */
export function wayBack(settings: Pick<Settings, 'stages'>): Stage {
  const stages = stagesOf(settings);
  return (
    stages.find(({ name }) => name === implement.name) ??
    stages.find(({ name }) => name !== planStage) ??
    implement
  );
}

/** The attempt that failed before the one that is due or at work, if that is to mend it. */
export function failedBefore(state: Staged & Pick<State, 'attempts'>): AttemptRecord | undefined {
  const last = state.attempts.at(-1);
  const mending = last?.stage ?? wayBack(state.settings).name;
  return mending === stageOf(state).name ? last : undefined;
}

/** The stage of a new iteration: the present one, unless it comes after that to which work goes back. */
function stageAnew(state: Staged): Pick<State, 'stage'> {
  const names = stagesOf(state.settings).map(({ name }) => name);
  const back = wayBack(state.settings).name;
  return names.indexOf(stageOf(state).name) > names.indexOf(back) ? { stage: back } : {};
}

/**
 * Whether the last attempt got to its end: what one left between two stages is no work that a policy may go
 * on with, be it verified later for whatever reason.
 */
export function areStagesDone({ settings, attempts, attempt }: State) {
  const last = attempts.at(-1);
  return settings.stages === undefined || (last?.attempt === attempt && last.outcome !== 'failed');
}

/** Whether what the agent has to do is a plan, not code. */
export function isPlanning(state: Staged): boolean {
  return stageOf(state).name === planStage;
}
