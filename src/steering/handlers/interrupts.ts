import { interruptFor } from '../attempts/attempt-outcome.ts';
import { changedKeys, queueAttempt, waitedForAfter, withTask } from '../branch/task-dependencies.ts';
import { updateAgain } from '../branch/undo-and-update.ts';
import { expected, isCountable } from '../commands/budget.ts';
import {
  endedBy,
  endOf,
  interruptIn,
  openInteraction,
  ownInteractions,
  settingAside,
  settledBy,
} from '../iterations/interactions.ts';
import { currentIteration, limitsOf, queueWork, spentOf, updateIteration } from '../iterations/iteration.ts';
import {
  accepted,
  type CommandEventOf,
  closing,
  type Next,
  next,
  nothing,
  type Refused,
  refuse,
  type Step,
  withEffect,
  withReply,
} from '../iterations/step.ts';
import { because } from '../phrases/phrases.ts';
import { type BudgetName, type RaisableLimit, raisableLimits } from '../shapes/limits.ts';
import type { Interrupt, WorkKind } from '../shapes/standing.ts';
import type { Task } from '../shapes/task.ts';
import type { Event } from '../state/event.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { In, State } from '../state/state.ts';

type Resolution = CommandEventOf<'retry' | 'spawn' | 'abandon'>;

/** Why a resolution cannot be taken, if it cannot; it is checked before anything changes. */
export function objectionToResolution(state: State, event: Resolution): Refused | undefined {
  const { command, task_facts } = event;
  const { task } = state;
  const early = writtenForAnother(state, event) ?? writtenBefore(state, event);
  if (early !== undefined) return refuse(early);
  if ('task_id' in command && command.task_id !== undefined && command.task_id !== task.id)
    return refuse({ why: 'other_task', named: command.task_id, id: task.id });
  const problems = task_facts?.problems ?? [];
  return problems.length > 0 ? refuse({ why: 'task_problems', command: command.type, problems }) : undefined;
}

/** A block has the interrupt that it was made for: what it says is about that, however late it is sent. */
function writtenForAnother(state: State, { command }: Resolution): Refusal | undefined {
  const named = 'interrupt' in command ? command.interrupt : undefined;
  if (named === undefined || named === openInteraction(state)?.id) return undefined;
  const ended = ownInteractions(state).find(({ id }) => id === named);
  if (ended === undefined) return { why: 'other_interrupt', command: command.type, named };
  return { why: 'written_before', command: command.type, names: true, happened: endOf(state, ended) };
}

/**
 * A comment that is older than the interrupt on show was about something else, of which its author has not
 * seen the end. GitHub's times have whole seconds.
 */
function writtenBefore(state: State, { command, source }: Resolution): Refusal | undefined {
  const open = openInteraction(state);
  if (open?.kind !== 'interrupt' || source.from !== 'comment') return undefined;
  if (Date.parse(open.opened_at) - Date.parse(source.written_at) <= 1000) return undefined;
  const last = ownInteractions(state).findLast(({ kind }) => kind !== 'question');
  return { why: 'written_before', command: command.type, ...(last && { happened: endOf(state, last) }) };
}

/** Another attempt at the same iteration, at a task that may be put in other words. */
export function retryTask(state: State, event: CommandEventOf<'retry'>): Step {
  return retryWith(state, event, 'attempt');
}

/**
 * The same work again, with a fresh budget of attempts; where the task is another one, an attempt at that.
 */
export function retryWith(state: State, event: CommandEventOf<'retry'>, work: WorkKind): Step {
  return objectionToResolution(state, event) ?? accepted(goOn(state, event, work), event);
}

/** What a retry does once nothing speaks against it. */
function goOn(state: State, event: CommandEventOf<'retry'>, work: WorkKind): Next {
  const by = event.by.login;
  const changed = changedKeys(state, event).map((key) => key.replaceAll('_', ' '));
  const how = changed.length === 0 ? 'retried' : `retried with another ${changed.join(', ')}`;
  const fresh: State = {
    ...withTask(state, event),
    ...settledBy(state, event, { by, how }),
    ...settingAside(state),
    attempts_used: 0,
    times_lost: 0,
    approvals: [],
    iterations: updateIteration(state, { landed: false }),
    ...updateAgain(state),
  };
  const subject = `Retry requested by ${by}${changed.length === 0 ? '' : `, with another ${changed.join(', ')}`}`;
  return work === 'attempt' || changed.length > 0
    ? queueAttempt(fresh, waitedForAfter(state, event), subject)
    : queueWork(fresh, work, subject);
}

/**
 * Other tasks take the place of this one. They are made before this one ends, so that whatever happens on the
 * way, nothing is lost.
 */
export function spawnTasks(state: In<'awaiting_resolution'>, event: CommandEventOf<'spawn'>): Step {
  const objection = objectionToResolution(state, event);
  if (objection !== undefined) return objection;
  return event.command.tasks.length === 0 ? askTasks(state, event) : beginSpawning(state, event);
}

function askTasks(state: State, event: CommandEventOf<'spawn'>): Next {
  const step = next(state, {}, `Ask ${event.by.login} what should be done instead`);
  return withReply(step, event, { say: 'ask_tasks' });
}

function beginSpawning(state: In<'awaiting_resolution'>, event: CommandEventOf<'spawn'>): Next {
  const { by, id } = event;
  const { tasks } = event.command;
  // What an earlier try has made is not made again.
  const cause = state.replaced_by?.cause ?? id;
  const standing = { ...state.standing, spawning: { by, cause, tasks } };
  const count = tasks.length === 1 ? 'a new task' : `${tasks.length} new tasks`;
  const step = next(state, { standing }, `Replace the task with ${count}, for ${by.login}`);
  return accepted(withEffect(step, { id: `${id}:spawn`, do: 'spawn' }), event);
}

/**
 * Whoever finds the work on show too much for one review splits its task. If that comes to nothing, people
 * decide how to continue, and may still approve the work as it stands.
 */
export function splitTask(state: In<'awaiting_approval'>, event: CommandEventOf<'spawn'>): Step {
  const objection = objectionToResolution(state, event);
  if (objection !== undefined) return objection;
  if (event.command.tasks.length === 0) return askTasks(state, event);
  const { login: by } = event.by;
  const settled = { ...state, ...settledBy(state, event, { by, how: 'interrupted' }) };
  const large = state.shown?.gates.find(({ rule }) => rule === 'large-change');
  const reason = large?.evidence ?? 'Other tasks are to take the place of the work that was under review.';
  const { state: stopped } = interruptFor(settled, event, { type: 'manual_interrupt', reason, by });
  const { standing } = stopped;
  return standing.phase === 'awaiting_resolution' ? beginSpawning({ ...stopped, standing }, event) : nothing;
}

/** Gives the task up. */
export function abandonTask(state: State, event: CommandEventOf<'abandon'>): Step {
  const objection = objectionToResolution(state, event);
  if (objection !== undefined) return objection;
  const { by, command } = event;
  const standing = { phase: 'abandoned', by: by.login, reason: command.reason } as const;
  const changed = { ...endedBy(state, event, { by: by.login, how: 'abandoned' }), standing };
  const step = closing(next(state, changed, `Abandoned by ${by.login}${because(command.reason)}`), event);
  return accepted(tellingIssue(step, event), event);
}

/** Whoever watches only the issue learns that nothing works on it any more, or what does. */
export function tellingIssue(step: Next, { id }: Pick<Event, 'id'>): Next {
  return step.state.run.issue === null ? step : withEffect(step, { id: `${id}:issue`, do: 'tell_issue' });
}

/** People let a run use more than its configuration does; what works, or is asked, goes on as before. */
export function raiseBudget(state: State, event: CommandEventOf<'budget'>): Step {
  const raised = raisedBy(state, event);
  if ('refused' in raised) return raised;
  return replied(accepted(next(raised.state, {}, raised.subject), event), event, raised);
}

/** The same, and if the run had stopped because of that limit, it goes on. */
export function raiseAndGoOn(state: In<'awaiting_resolution'>, event: CommandEventOf<'budget'>): Step {
  const raised = raisedBy(state, event);
  if ('refused' in raised) return raised;
  if (exhaustedIn(state) !== raised.limit) return raiseBudget(state, event);
  const spent = spentOf(state, raised.limit);
  if (spent >= raised.to) {
    return refuse({ why: 'not_enough', limit: raised.limit, spent, raised: raised.to });
  }
  // Recorded as one event: who raises a limit wants the run to go on.
  const step = goOn(raised.state, { ...event, command: { type: 'retry' } }, 'attempt');
  return replied(accepted({ ...step, subject: raised.subject }, event), event, raised);
}

interface Raised {
  readonly limit: RaisableLimit;
  readonly to: number;
  readonly state: State;
  readonly subject: string;
}

function raisedBy(state: State, { command, by }: CommandEventOf<'budget'>): Raised | { refused: Refusal } {
  const exhausted = exhaustedIn(state);
  if (command.limit === null && exhausted !== undefined && isDaily(exhausted))
    return refuse({ why: 'no_limit', limit: null, daily: true });
  const limit = command.limit ?? raisableOf(exhausted) ?? limited(state);
  if (limit === undefined) return refuse({ why: 'no_limit', limit: null });
  const before = limitsOf(state)[limit];
  if (before === undefined) return refuse({ why: 'no_limit', limit });
  if (!isCountable(command.more, limit))
    return refuse({ why: 'misspoken', command: 'budget', problem: expected });
  const to = cents(before + command.more);
  const most = state.settings.most?.[limit];
  if (most !== undefined && to > most) return refuse({ why: 'beyond_operator', limit, most });
  const raised = { ...state.raised, [limit]: cents((state.raised?.[limit] ?? 0) + command.more) };
  return { limit, to, state: { ...state, raised }, subject: `${by.login} raised ${limit} to ${to}` };
}

function replied(step: Next, event: CommandEventOf<'budget'>, { limit, to }: Raised): Next {
  return withReply(step, event, { say: 'raised', limit, to });
}

/** The budget because of which the run has stopped. */
function exhaustedIn({ standing, attempts }: State): BudgetName | undefined {
  if (standing.phase !== 'awaiting_resolution') return undefined;
  if (standing.interrupt.type !== 'budget_exceeded') return undefined;
  return attempts.at(-1)?.failure?.budget;
}

function raisableOf(budget: BudgetName | undefined): RaisableLimit | undefined {
  return raisableLimits.find((name) => name === budget);
}

function isDaily(budget: BudgetName): boolean {
  return raisableOf(budget) === undefined;
}

function limited(state: State): RaisableLimit | undefined {
  const limits = limitsOf(state);
  return raisableLimits.find((limit) => limits[limit] !== undefined);
}

function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}

/** A task that needs people, as other programs get it. Its names are a public interface. */
export interface InterruptPayload {
  readonly type: InterruptType;
  readonly task_id: string;
  readonly task_description: string;
  readonly component: string;
  /** What kind of work the task is. */
  readonly phase: Task['kind'];
  readonly retry_count: number;
  readonly failure_reason: string;
  readonly acceptance_criteria: readonly string[];
  /** Empty if nothing of it is on the branch. */
  readonly files_modified: readonly string[];
  readonly assigned_worker_profile: string;
  readonly depends_on: readonly string[];
  /** Which of our own reasons it was: several of them are one type. */
  readonly cause: Interrupt['type'];
}

type InterruptType = 'task_exceeded_retries' | 'zero_confidence' | 'budget_exceeded' | 'manual_interrupt';

/** What stands where nobody has said why. */
export const noDetails = 'No details available';

/** Why a run cannot go on without people, and what its task is; null unless that is so. */
export function interruptPayload(state: State): InterruptPayload | null {
  const { task } = state;
  const interrupt = interruptIn(state);
  if (interrupt === undefined) return null;
  return {
    type: typeOf(interrupt.type),
    task_id: task.id,
    task_description: task.description,
    component: task.component,
    phase: task.kind,
    retry_count: interrupt.retry_count,
    failure_reason: interrupt.failure_reason.trim() || noDetails,
    acceptance_criteria: task.acceptance_criteria,
    files_modified: currentIteration(state).files_modified,
    assigned_worker_profile: task.worker_profile,
    depends_on: task.depends_on,
    cause: interrupt.type,
  };
}

/** What is no type of its own is told apart by its cause. */
function typeOf(cause: Interrupt['type']): InterruptType {
  const isOne = cause === 'zero_confidence' || cause === 'budget_exceeded' || cause === 'manual_interrupt';
  return isOne ? cause : 'task_exceeded_retries';
}
