import { interruptFor } from '../attempts/attempt-outcome.ts';
import { changedKeys, waitedForAfter, withTask } from '../branch/retried-task.ts';
import { queueAttempt } from '../branch/task-dependencies.ts';
import { updateAgain, withUndoDropped } from '../branch/undo-and-update.ts';
import { amountExpected, isCountable } from '../commands/budget.ts';
import { withContributors } from '../iterations/authorship.ts';
import {
  endedBy,
  endOf,
  openInteraction,
  ownInteractions,
  settingAside,
  settledBy,
} from '../iterations/interactions.ts';
import { queueWork, updateIteration } from '../iterations/iteration.ts';
import { noDetails } from '../iterations/requests-for-programs.ts';
import { limitsOf, spentOf } from '../iterations/spending.ts';
import {
  accepted,
  type CommandEventOf,
  closingPull,
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
import type { WorkKind } from '../shapes/standing.ts';
import type { Event } from '../state/event.ts';
import type { PendingEffect, Refusal } from '../state/pending-effect.ts';
import type { In, State } from '../state/state.ts';
import { withoutAttempt } from './pausing.ts';

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
 * The work that failed is due again, with a fresh budget of attempts; where the task is another one, an
 * attempt at that.
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

/** `/abandon` gives the task up: the run ends, and so does its pull request. */
export function abandonTask(state: State, event: CommandEventOf<'abandon'>): Step {
  const objection = objectionToResolution(state, event);
  if (objection !== undefined) return objection;
  const { by, command } = event;
  const standing = { phase: 'abandoned', by: by.login, reason: command.reason } as const;
  const changed = { ...endedBy(state, event, { by: by.login, how: 'abandoned' }), standing };
  const step = closingPull(next(state, changed, `Abandoned by ${by.login}${because(command.reason)}`), event);
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

/** People raise a limit; a run that had stopped because of that limit goes on. */
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
    return refuse({ why: 'misspoken', command: 'budget', problem: amountExpected });
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

/** Whether a run that has stopped goes on once people let it use more. */
export function goesOnWithMore(state: State): boolean {
  return raisableOf(exhaustedIn(state)) !== undefined;
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

/**
 * People want to decide how to continue. What is in progress is stopped; steers that waited for its end come
 * to nothing, and their authors are told: whoever decides now may say them again.
 */
export function interruptRun(state: State, event: CommandEventOf<'interrupt'>): Step {
  const by = event.by.login;
  const { reason } = event.command;
  const stopped: State = {
    ...state,
    ...withoutAttempt(state),
    ...settledBy(state, event, { by, how: 'interrupted' }),
    ...settingAside(state),
    ...(reason !== '' && withContributors(state, [event.by])),
    queue: [],
    owed: [...state.owed, ...dropped(state, event)],
  };
  const interruption = { type: 'manual_interrupt', reason: reason === '' ? noDetails : reason, by } as const;
  const step = interruptFor(stopped, event, interruption);
  const why = `${by} interrupted the run`;
  return accepted(withUndoDropped(step, state, event, why), event);
}

function dropped({ queue }: State, { id, by }: CommandEventOf<'interrupt'>): readonly PendingEffect[] {
  const words = { say: 'dropped', by: by.login } as const;
  return queue.map(({ author: to }, nth) => ({ id: `${id}:dropped:${nth}`, do: 'reply', words, to }));
}
