import { interruptFor } from '../attempts/attempt-outcome.ts';
import { changedKeys, waitedForAfter, withTask } from '../branch/changing.ts';
import { queueAttempt } from '../branch/dependencies.ts';
import { updateAgain } from '../branch/updating.ts';
import type { CommandName } from '../commands/index.ts';
import { settingAside } from '../iterations/held-work.ts';
import { openInteraction, ownInteractions, settledBy } from '../iterations/interactions.ts';
import { queueWork, updateIteration } from '../iterations/iterations.ts';
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
import { because } from '../phrases/first-line.ts';
import type { AwaitingResolution, SettledInteraction, WorkKind } from '../shapes/standing.ts';
import type { Event } from '../state/event.ts';
import type { Refusal } from '../state/pending-effect.ts';
import type { In, State } from '../state/state.ts';

/** What people decide about a task that failed: it is tried again, replaced, or given up. */

type Resolution = CommandEventOf<'retry' | 'spawn' | 'abandon'>;

/** Whether a command decides about a task that failed. */
export function isResolution(command: string): command is Resolution['command']['type'] {
  return command === 'retry' || command === 'spawn' || command === 'abandon';
}

/** What somebody has decided about the task before, for whoever says a command about it now. */
export function alreadyResolved(state: State, command: CommandName): Refusal | undefined {
  const { phase } = state.standing;
  const spawning = spawningIn(state);
  if (spawning !== undefined)
    return { why: 'already_resolved', by: spawning.by.login, how: 'replaced', phase };
  if (!isResolution(command)) return undefined;
  const last = lastAsked(state);
  // Where the work is under review since, it is no longer about the interrupt.
  if (last?.kind !== 'interrupt' || openInteraction(state)?.kind === 'approval') return undefined;
  return { why: 'already_resolved', ...endOf(state, last), phase };
}

/**
 * Who replaces the task just now, if somebody does: until that has come to something, nobody else decides.
 */
export function spawningIn({ standing }: Pick<State, 'standing'>): AwaitingResolution['spawning'] {
  return standing.phase === 'awaiting_resolution' ? standing.spawning : undefined;
}

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

/** The last interrupt or approval that is settled. */
function lastAsked(state: State): SettledInteraction | undefined {
  return ownInteractions(state).findLast(({ kind }) => kind === 'interrupt' || kind === 'approval');
}

function endOf({ head: to }: State, { by, how, settled_at: at, head_sha: from }: SettledInteraction) {
  return { by, how, at, ...(from !== to && { moved: { from, to } }) };
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
export function goOn(state: State, event: CommandEventOf<'retry'>, work: WorkKind): Next {
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
export function spawnTasks(
  state: State & { readonly standing: AwaitingResolution },
  event: CommandEventOf<'spawn'>,
): Step {
  const objection = objectionToResolution(state, event);
  if (objection !== undefined) return objection;
  return event.command.tasks.length === 0 ? askTasks(state, event) : beginSpawning(state, event);
}

function askTasks(state: State, event: CommandEventOf<'spawn'>): Next {
  const step = next(state, {}, `Ask ${event.by.login} what should be done instead`);
  return withReply(step, event, { say: 'ask_tasks' });
}

function beginSpawning(
  state: State & { readonly standing: AwaitingResolution },
  event: CommandEventOf<'spawn'>,
): Next {
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
  const settled = settledBy(state, event, { by: by.login, how: 'abandoned' });
  const changed = { ...settled, ...settingAside(state), standing, queue: [], approvals: [] };
  const step = closing(next(state, changed, `Abandoned by ${by.login}${because(command.reason)}`), event);
  return accepted(tellingIssue(step, event), event);
}

/** Whoever watches only the issue learns that nothing works on it any more, or what does. */
export function tellingIssue(step: Next, { id }: Pick<Event, 'id'>): Next {
  return step.state.run.issue === null ? step : withEffect(step, { id: `${id}:issue`, do: 'tell_issue' });
}
