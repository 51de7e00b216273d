import { groundOf, leaveToPeople } from './approval/auto-approval.ts';
import { spokenText } from './approval/waiting-reasons.ts';
import { approversOf } from './branch/changed-base.ts';
import { isQuery, nameOf } from './commands/index.ts';
import { interactionsOf } from './iterations/interactions.ts';
import { queueWork } from './iterations/iteration.ts';
import { type CommandEvent, type Next, next, nothing, type Step, withReply } from './iterations/step.ts';
import { isOver } from './phases/table.ts';
import type { Spoken } from './shapes/finishing.ts';
import { covers, type Person } from './shapes/people.ts';
import { isBefore, isSurelyBefore, later } from './shapes/time.ts';
import type { Event, EventOf, EventType } from './state/event.ts';
import type { State } from './state/state.ts';

/**
 * Whether what someone says stops a run that would go on by itself: on a public repository everyone can read
 * and comment, so whoever has no more rights than that could stop every run at no cost.
 */
export function isHeard({ role, bot }: Pick<Person, 'role' | 'bot'>): boolean {
  return !bot && covers(role, 'triage');
}

/** Since when people can say something before the run goes on without them; undefined if it does not. */
export function timeRunsSince(state: State): string | undefined {
  const { standing, settings } = state;
  if (standing.phase === 'awaiting_approval')
    return standing.proceeds === undefined ? undefined : standing.interaction.opened_at;
  if (standing.phase !== 'approved' || standing.ground === undefined) return undefined;
  // What is out of draft and merged by people is in their hands.
  if (standing.finish === 'finished' && settings.approval.finish === 'ready') return undefined;
  const { rule, at } = standing.ground;
  const asked = interactionsOf(state).findLast(({ kind }) => kind === 'approval');
  return rule === 'auto_proceed_after' ? (asked?.opened_at ?? at) : at;
}

type Spoke = EventOf<'spoke'>;

/** Whether words that are no command could change anything now. */
export function mayHear(state: State, how: Spoke['how']): boolean {
  if (timeRunsSince(state) !== undefined) return true;
  const { phase } = state.standing;
  if (how !== 'deleted' || isOver(phase)) return false;
  return phase === 'awaiting_approval' || phase === 'approved' || state.approvals.length > 0;
}

/**
 * Somebody has said something that is no command, or has changed or deleted what was said: that stops a run
 * that would go on by itself. Who deletes words may hide an objection, so that voids approvals as well.
 */
export function hear(state: State, event: Spoke): Step {
  const { by, author, how, at } = event;
  if (![by, author].some(how === 'deleted' ? mayBeHeard : isHeard) || !mayHear(state, how)) return nothing;
  const spoken = spokenIn(event);
  const since = timeRunsSince(state);
  const isStopped = since !== undefined && (how === 'deleted' || !isSurelyBefore(at, since));
  if (how !== 'deleted') return isStopped ? stopped(state, event, spoken) : nothing;
  const words_deleted_at = later(state.words_deleted_at, at);
  const approvals = state.approvals.filter((approval) => isBefore(at, approval.at));
  const known = { ...state, words_deleted_at, approvals };
  if (isStopped) return stopped(known, event, spoken);
  const ground = groundOf(state);
  const isVoid =
    approvals.length < state.approvals.length || (ground !== undefined && !isBefore(at, ground.at));
  if (!isVoid) return next(known, {}, `Note that ${spokenText(spoken)}`);
  const subject = `Approvals are void: ${spokenText(spoken)}`;
  const step =
    state.standing.phase === 'approved' ? queueWork(known, 'verify_head', subject) : next(known, {}, subject);
  return withReply(step, event, reasonOf(state, spoken));
}

/** Every command of a person stops it too, whether it asks, decides or is refused. */
export function withStopped(before: State, step: Next, { by, at }: CommandEvent): Next {
  if (timeRunsSince(before) === undefined || !isHeard(by)) return step;
  const left = leaveToPeople(step.state, { why: 'stopped', by: by.login, at }, before.head);
  // The person is answered already.
  if (left.standing.phase !== 'approved') return { ...step, state: left };
  return { ...step, state: queueWork({ ...left, approvals: [] }, 'verify_head', step.subject).state };
}

/**
 * Who asks for something else objects to what is approved, whether or not it can be done: the iterations may
 * be used up, or the text of a review edited by somebody else.
 */
export function withObjection(step: Next, { command, by }: CommandEvent): Next {
  const { state } = step;
  const name = nameOf(command);
  if (name !== 'steer' || state.approvals.length === 0 || isOver(state.standing.phase)) return step;
  const without = { ...state, approvals: [] };
  if (state.standing.phase !== 'approved') return { ...step, state: without };
  const subject = `Approvals are void: ${by.login} asked for something else`;
  return { ...step, ...queueWork(without, 'verify_head', subject) };
}

/**
 * Whether deleted words, or who deleted them, stop a run: also somebody unknown may have been heard, because
 * GitHub names no deleted accounts, and not everybody to everyone.
 */
export function mayBeHeard(person: Person): boolean {
  return isHeard(person) || (person.id === 0 && !person.bot);
}

function spokenIn({ by: { login, id }, how, at }: Spoke): Spoken {
  return { login, id, at, ...(how === 'deleted' && { how }) };
}

function stopped(state: State, event: Spoke, spoken: Spoken): Next {
  const { login: by, at, how } = spoken;
  const left = leaveToPeople(state, { why: 'stopped', by, at, ...(how !== undefined && { how }) });
  const subject = `Wait for people: ${spokenText(spoken)}`;
  if (left.standing.phase !== 'approved') return next(left, {}, subject);
  const step = queueWork({ ...left, approvals: [] }, 'verify_head', subject);
  return withReply(step, event, reasonOf(state, spoken));
}

function reasonOf(state: State, spoken: Spoken) {
  return { say: 'finish_refused', reasons: [spokenText(spoken)], ...approversOf(state) } as const;
}

/**
 * Whether an event may take an approval back. Not what people without write access say, who could otherwise
 * keep others from merging.
 */
export function mayConcernApproval(
  event: Pick<EventOf<'said'>, 'type' | 'command' | 'by'> | { readonly type: Exclude<EventType, 'said'> },
): boolean {
  if (event.type !== 'said') return true;
  const { command, by } = event;
  const name = command.type === 'misspoken' ? command.name : command.type;
  return covers(by.role, 'write') && !isQuery(name) && (command.type !== 'misspoken' || name === 'steer');
}

/**
 * Whether an event ends a run: what ends an approved one is taken back first, because no sweep looks at an
 * ended run whose ledger somebody has removed.
 */
export function mayEnd(event: Event): boolean {
  if (event.type === 'closed') return !event.merged;
  const isEnd = event.type === 'said' && (event.command.type === 'reject' || event.command.type === 'cancel');
  return isEnd && mayConcernApproval(event);
}
