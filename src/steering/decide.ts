import { announcements } from './announcements.ts';
import { countReply, isOverLimit, objectionTo } from './approval/authorization.ts';
import { approvedBy, groundOf, leaveToPeople } from './approval/auto-approval.ts';
import { isInQueue } from './approval/in-merge-queue.ts';
import { spokenText } from './approval/waiting-reasons.ts';
import { refusalOfAnswer } from './attempts/questions.ts';
import { approversOf } from './branch/changed-base.ts';
import { type ActionCommand, isQuery, nameOf, type QueryCommand } from './commands/index.ts';
import { begin } from './first-event.ts';

import {
  alreadyResolved,
  deadlineAfter,
  interactionsOf,
  openInteraction,
  spawningIn,
  waitingAnew,
} from './iterations/interactions.ts';
import { queueWork } from './iterations/iteration.ts';
import {
  type CommandEvent,
  type Next,
  next,
  nothing,
  type PhaseEvent,
  refuse,
  type Step,
  withReaction,
  withReply,
} from './iterations/step.ts';
import { advisableTo, handlerIn, isEnd, isOver, table, withOutcome } from './phases/table.ts';
import type { Spoken } from './shapes/finishing.ts';
import { covers, type Person } from './shapes/people.ts';
import { isAskingHuman, isMerged } from './shapes/standing.ts';
import { isBefore, isSurelyBefore, later } from './shapes/time.ts';
import type { Event, EventOf } from './state/event.ts';
import type { Notification, PendingEffect, Refusal, ReplyContent } from './state/pending-effect.ts';
import type { Verdict } from './state/ports.ts';
import type { State } from './state/state.ts';

/** What an event does to a run. Pure and total: same input, same verdict, and it never throws. */
export function decide(state: State | undefined, event: Event): Verdict {
  const step = state === undefined ? begin(event) : apply(state, event);
  if (step === nothing) return { outcome: 'nothing' };
  const seq = step.state.seq + 1;
  const updated_at = later(state?.updated_at, event.at);
  const withdrawn = withWithdrawal(state, { ...step.state, seq, updated_at }, event);
  const after = withWaking(state, withOutcome(state, withdrawn, event), event);
  return {
    outcome: 'next',
    state: withNotifications(state, after, event),
    subject: step.subject,
    takes_code: step.takes_code === true,
    refuses: step.refuses === true,
    ...(step.reaction && { reaction: step.reaction }),
  };
}

function apply(state: State, event: Event): 'nothing' | Next {
  if (event.type === 'run_started') return nothing;
  if (event.type === 'settled') return removeEffects(state, event);
  if (event.type === 'sealed') return next(state, {}, `Seal the ledger with the key ${event.key}`);
  if (event.type === 'said') return applyCommand(state, event);
  const step = event.type === 'spoke' ? hear(state, event) : applyEvent(state, event);
  // Only commands can be refused.
  return step === nothing || 'refused' in step ? nothing : step;
}

/** Bots get no answer, so that two of them cannot loop, and the number of answers to people is limited. */
function applyCommand(state: State, event: CommandEvent): 'nothing' | Next {
  if (event.by.bot || isOverLimit(state, event)) return nothing;
  const objection = objectionTo(state, event);
  if (objection !== undefined)
    return countReply(withStopped(state, refuseCommand(state, event, objection), event), event);
  const step = execute(state, event);
  if (step === nothing) return nothing;
  const answered = 'refused' in step ? withObjection(refuseCommand(state, event, step.refused), event) : step;
  return countReply(withStopped(state, restartReviewTimer(answered, event), event), event);
}

function execute(state: State, event: CommandEvent): Step {
  const { command } = event;
  if (command.type === 'misspoken') {
    return refuse({ why: 'misspoken', command: command.name, problem: command.problem });
  }
  const name = command.type;
  return isQuery(name) ? answerQuery(state, event, name) : runCommand(state, event, name);
}

function runCommand(state: State, event: CommandEvent, name: ActionCommand): Step {
  const { phase } = state.standing;
  const resolved = alreadyResolved(state, name);
  if (isOver(phase)) return refuse(resolved ?? { why: 'over', phase });
  if (isOutdated(state, event)) return refuse(resolved ?? { why: 'outdated_button' });
  if (resolved !== undefined && spawningIn(state) !== undefined) return refuse(resolved);
  const { command, agent_problem: problem } = event;
  if (command.type === 'steer' && command.with !== undefined && problem !== undefined)
    return refuse({ why: 'agent_unusable', agent: command.with, problem });
  const handler = handlerIn(state, name);
  if (handler === undefined) return refuse(resolved ?? notNow(state, name));
  if (command.type === 'reject' && command.reason === '') return askWhy(state, event);
  return handler(state, event);
}

/** A click cannot say why, which the next run needs to know: until somebody does, nothing changes. */
function askWhy(state: State, event: CommandEvent): Step {
  const step = next(state, {}, `Ask ${event.by.login} why the work should be rejected`);
  return withReply(step, event, { say: 'ask_reason' });
}

function applyEvent(state: State, event: Extract<Event, { type: PhaseEvent }>): Step {
  const row = table[state.standing.phase].events[event.type];
  // The handler was looked up by this phase and this type of event; TypeScript cannot correlate the two.
  return (row as (state: State, event: Event) => Step)(state, event);
}

function answerQuery(state: State, event: CommandEvent, say: QueryCommand): Step {
  const { type: _, ...asked } = event.command;
  const step = next(state, {}, `Answer /${say} from ${event.by.login}`);
  // The command has this name, so the rest is what the answer names; TypeScript cannot correlate the two.
  return withReply(step, event, { say, ...asked } as ReplyContent);
}

function refuseCommand(state: State, event: CommandEvent, refusal: Refusal): Next {
  const name = nameOf(event.command);
  const step = next(state, {}, `Refuse /${name} from ${event.by.login}: ${refusal.why.replaceAll('_', ' ')}`);
  const words = { say: 'refused', refusal, possible: advisableTo(state, event) } as const;
  return { ...withReply(withReaction(step, event, 'confused'), event, words), refuses: true };
}

/** Every human interaction restarts the review timer. */
function restartReviewTimer(step: Next, event: CommandEvent): Next {
  const { standing } = step.state;
  if (!isAskingHuman(standing)) return step;
  const deadline = later(standing.deadline, deadlineAfter(step.state, event.at, standing));
  return { ...step, state: { ...step.state, standing: waitingAnew(standing, deadline) } };
}

/** A button is valid only for the interaction and the commit it was rendered for. */
function isOutdated(state: State, { command, source }: CommandEvent): boolean {
  // Which question it answers is all that counts: whatever came between, the first answer does.
  if (source.from !== 'click' || command.type === 'answer') return false;
  if (source.head_sha !== state.head) return true;
  const open = openInteraction(state);
  return command.type !== 'verify' && open !== null && open.id !== source.interaction;
}

function notNow(state: State, command: ActionCommand): Refusal {
  const { phase } = state.standing;
  if (command === 'answer' && (state.questions ?? []).length === 0)
    return refusalOfAnswer(state.interactions);
  if (command !== 'approve') return { why: 'not_now', command, phase };
  if (phase !== 'approved') return { why: 'nothing_to_approve', phase };
  return { why: 'already_approved', by: approvedBy(state) };
}

/** Every ledger has many commits with this subject, which tell people nothing. */
export const ownNote = 'Note what was done on GitHub';

function removeEffects(
  before: State,
  { paid, impossible = [], thread }: EventOf<'settled'>,
): 'nothing' | Next {
  const owed = before.owed.filter(({ id }) => !paid.includes(id));
  if (owed.length === before.owed.length) return nothing;
  const threads = thread && { threads: { ...before.threads, [thread.of]: thread.id } };
  const state = { ...before, ...threads };
  const refused = impossible.flatMap(({ id, reason }) => {
    const effect = state.owed.find((each) => each.id === id);
    return effect === undefined ? [] : [{ do: effect.do, reason }];
  });
  if (refused.length === 0) return next(state, { owed }, ownNote);
  const undone = [...(state.undone ?? []), ...refused].slice(-maxUndone);
  const why = [...new Set(refused.map(({ reason }) => reason))].join('; ');
  return next(state, { owed, undone }, `${ownNote}, and what was refused: ${why}`);
}

/** How many effects that were refused are shown. */
const maxUndone = 3;

type Spoke = EventOf<'spoke'>;

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

/** Whether such words could change anything now. */
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
function hear(state: State, event: Spoke): Step {
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
function withStopped(before: State, step: Next, { by, at }: CommandEvent): Next {
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
function withObjection(step: Next, { command, by }: CommandEvent): Next {
  const { state } = step;
  const name = nameOf(command);
  if (name !== 'steer' || state.approvals.length === 0 || isOver(state.standing.phase)) return step;
  const without = { ...state, approvals: [] };
  if (state.standing.phase !== 'approved') return { ...step, state: without };
  const subject = `Approvals are void: ${by.login} asked for something else`;
  return { ...step, ...queueWork(without, 'verify_head', subject) };
}

/** The same where somebody is unknown: GitHub names no deleted accounts, and not everybody to everyone. */
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

/** How many former heads are kept until their decisions are known to be taken back. */
const maxFormerHeads = 20;

type Withdrawal = Extract<PendingEffect, { do: 'withdraw' }>;

/**
 * The state after the event, with what GitHub must no longer show: the decision on a head that the run has
 * left, and everything that lets a run be merged whose approval has fallen.
 */
function withWithdrawal(before: State | undefined, after: State, { id }: Event): State {
  const heads = before === undefined ? [] : leftHead(before, after);
  const approved = before === undefined ? after.restored !== undefined : hasFallen(before, after);
  if (heads.length === 0 && !approved) return after;
  const queued = approved && isInQueue(before) && ({ queued: true } as const);
  const effect: Withdrawal = { id: `${id}:withdraw`, do: 'withdraw', heads, approved, ...queued };
  return { ...after, owed: bounded([...after.owed, effect]) };
}

/** Whether an effect can wait until the next event is recorded: repeating it finds it done. */
export function mayStayPending(effect: PendingEffect): boolean {
  return effect.do === 'withdraw' && !effect.approved;
}

function leftHead(before: State, after: State): readonly string[] {
  return before.head === after.head ? [] : [before.head];
}

function hasFallen({ standing: before }: State, { standing: after }: State): boolean {
  if (before.phase !== 'approved' || after.phase === 'approved') return false;
  return !(after.phase === 'done' && after.merged);
}

function bounded(owed: readonly PendingEffect[]): readonly PendingEffect[] {
  const few = new Set(owed.filter(mayStayPending).slice(-maxFormerHeads));
  return owed.filter((effect) => !mayStayPending(effect) || few.has(effect));
}

/**
 * The state after the event, with what its end means for others among what it owes: runs that depend on it
 * can begin or never will, and the issue of several runs is closed with the last one of them. As what is owed
 * counts as done only when the state is drawn, so is every end.
 */
function withWaking(before: State | undefined, after: State, { id }: Event): State {
  if (before === undefined || !isEnd(before.standing, after.standing)) return after;
  const isPart = after.replaces !== undefined && after.run.issue !== null && isMerged(after.standing);
  const effects: readonly PendingEffect[] = [
    { id: `${id}:wake`, do: 'wake' },
    ...(isPart ? [{ id: `${id}:close_issue`, do: 'close_issue' } as const] : []),
  ];
  return { ...after, owed: [...after.owed, ...effects] };
}

/** How many may wait at once. A target that is away for a day is not told every attempt of it. */
const maxWaiting = 100;

/**
 * The state after the event, with what its settings want targets to be told of it among what it owes. Of too
 * many that wait, the oldest are given up.
 */
function withNotifications(before: State | undefined, after: State, event: Event): State {
  const { notify = [] } = after.settings;
  if (notify.length === 0) return after;
  const heard = announcements(before, after, event);
  const fresh = notify.flatMap(({ to, events }) =>
    heard.flatMap(({ event: name, time: at }, nth): readonly Notification[] => {
      const id = `${event.id}:notify:${to}:${nth}`;
      return events.includes(name) ? [{ id, do: 'notify', to, seq: after.seq, nth, event: name, at }] : [];
    }),
  );
  if (fresh.length === 0) return after;
  const owed = [...after.owed, ...fresh];
  const surplus = owed.filter(isNotification).slice(0, -maxWaiting);
  if (surplus.length === 0) return { ...after, owed };
  const left = new Set<PendingEffect>(surplus);
  const reason = `more than ${maxWaiting} waited, and the oldest were left out`;
  const undone = [
    ...(after.undone ?? []).filter((each) => each.reason !== reason),
    { do: 'notify', reason } as const,
  ];
  return { ...after, owed: owed.filter((each) => !left.has(each)), undone };
}

/** Told elsewhere, and so neither performed nor recorded together with the other effects. */
export function isNotification(effect: PendingEffect): effect is Notification {
  return effect.do === 'notify';
}
