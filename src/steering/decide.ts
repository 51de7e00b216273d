import { objectionTo } from './approval/authorization.ts';
import { approvedBy } from './approval/auto-approval.ts';
import { countReply, isOverLimit } from './approval/reply-limit.ts';
import { refusalOfAnswer } from './attempts/questions.ts';
import { type ActionCommand, isQuery, nameOf, type QueryCommand } from './commands/index.ts';
import { begin } from './first-event.ts';
import {
  alreadyResolved,
  deadlineAfter,
  openInteraction,
  spawningIn,
  waitingAnew,
} from './iterations/interactions.ts';
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
import { withNotifications } from './notifications.ts';
import { hear, withObjection, withStopped } from './objections.ts';
import { advisableTo, handlerIn, isEnd, isOver, table, withOutcome } from './phases/table.ts';
import { isAskingHuman, isMerged } from './shapes/standing.ts';
import { later } from './shapes/time.ts';
import type { Event, EventOf } from './state/event.ts';
import type { PendingEffect, Refusal, ReplyContent } from './state/pending-effect.ts';
import type { Verdict } from './state/ports.ts';
import type { State } from './state/state.ts';
import { withWithdrawal } from './withdrawal.ts';

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
