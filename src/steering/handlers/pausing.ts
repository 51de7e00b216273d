import { leaveToPeople } from '../approval/auto-approval.ts';
import { branchMoved, landed, nextIteration } from '../attempts/attempt-outcome.ts';
import { answerOnly, answerThen } from '../attempts/questions.ts';
import { goOnWithModel, waitOrGoOn } from '../attempts/stopped-agent.ts';
import { withUndoDropped } from '../branch/undo-and-update.ts';
import {
  deadlineAfter,
  openingOf,
  settingAside,
  settledButQuestions,
  waitingAnew,
} from '../iterations/interactions.ts';
import { queueWork } from '../iterations/iteration.ts';
import {
  accepted,
  type CommandEventOf,
  type Next,
  next,
  nothing,
  refuse,
  type Step,
} from '../iterations/step.ts';
import { holdForPermission } from '../permission/held-work.ts';
import { because } from '../phrases/phrases.ts';
import { covers } from '../shapes/people.ts';
import {
  type AskingHuman,
  type DueWork,
  isAskingHuman,
  isAwaitingChecks,
  goesOnWithAgent as isForAgent,
  type PauseAsked,
  type Paused,
  type WorkKind,
} from '../shapes/standing.ts';
import type { Event, EventOf } from '../state/event.ts';
import type { In, State } from '../state/state.ts';
import { resumeWith } from './command-handlers.ts';
import { pauseWithoutBranch } from './event-handlers.ts';

type Stood = PauseAsked['stood'];

type Pausable = In<
  'queued' | 'working' | 'verifying' | AskingHuman['phase'] | 'approved' | 'timed_out' | 'paused'
>;

/**
 * Nothing goes on until somebody says `/resume`: work is stopped at once and due again, a question is taken
 * back with its deadline, and an approval no longer lets anything be merged.
 */
export function pause(state: Pausable, event: CommandEventOf<'pause'>): Step {
  const by = event.by.login;
  const { reason } = event.command;
  const stood = stoodAt(state.standing);
  const asked: PauseAsked = {
    ...{ by, reason, at: event.at, stood },
    ...{ head: state.head, evaluated: state.shown !== null },
  };
  const standing: Paused = { phase: 'paused', why: 'asked', resumes_with: workFor(stood), asked };
  const settled = settledButQuestions(state, event, { by, how: 'paused' });
  const left = isByPolicy(state) ? leaveToPeople(state, { why: 'stopped', by, at: event.at }) : state;
  return accepted(
    next(
      { ...left, ...withoutAttempt(state) },
      { ...settled, standing },
      `Paused by ${by}${because(reason)}`,
    ),
    event,
  );
}

/**
 * Whoever pauses a paused run hears that it is, and what lets it go on. One that waits for its model waits
 * longer.
 */
export function pauseAgain(state: In<'paused'>, event: CommandEventOf<'pause'>): Step {
  const { asked, until } = state.standing;
  return until === undefined ? refuse({ why: 'already_paused', by: asked?.by ?? null }) : pause(state, event);
}

/** Goes on exactly where the run stood; what changed meanwhile is verified first. */
export function resume(state: In<'paused'>, event: CommandEventOf<'resume'>): Step {
  const { asked, resumes_with, until } = state.standing;
  const asks = resumes_with === 'attempt' && (state.questions ?? []).length > 0;
  if (asked === undefined && until === undefined && !asks) return resumeWith(state, event, resumes_with);
  const step = asked === undefined ? goOnWithModel(state, event) : whereItStood(state, event, asked);
  return accepted({ ...step, subject: `Resumed by ${event.by.login}: ${lowerFirst(step.subject)}` }, event);
}

function whereItStood(state: State, event: Resuming, asked: PauseAsked): Next {
  return hasChanged(state, asked) ? afterChange(state, event, asked) : backTo(state, event, asked.stood);
}

type Resuming = CommandEventOf<'resume' | 'answer'>;

/** A branch that is gone is another reason to wait: nobody can approve what is on it. */
export function pausedWithoutBranch(state: In<'paused'>, event: EventOf<'branch_deleted'>): Step {
  const { asked, resumes_with, until } = state.standing;
  return asked === undefined && until === undefined
    ? nothing
    : pauseWithoutBranch(resumes_with)(state, event);
}

/** Whoever pauses what goes on without people has taken it into their hands. */
function isByPolicy({ standing }: State): boolean {
  return standing.phase === 'approved' && standing.ground !== undefined;
}

function stoodAt(standing: Pausable['standing']): Stood {
  if (isAskingHuman(standing)) return { asking: standing };
  switch (standing.phase) {
    case 'queued': {
      const { phase: _, ...due } = standing;
      return { due };
    }
    case 'working':
      return {
        due: standing.held === undefined ? { work: 'attempt' } : { work: 'land', held: standing.held },
      };
    case 'verifying': {
      // CI may have gone on meanwhile, and its checks are looked at again.
      if (isAwaitingChecks(standing)) return { due: { work: standing.work } };
      const { phase: _, hold: __, ...due } = standing;
      return { due };
    }
    case 'paused':
      return { due: { work: standing.resumes_with } };
    case 'approved':
      return { approved: true };
    case 'timed_out':
      return { asking: standing.before };
  }
}

/** What has to be done if the run cannot go on there, as after its branch was deleted. */
function workFor(stood: Stood): WorkKind {
  if ('approved' in stood) return 'verify_head';
  if ('asking' in stood) return stood.asking.phase === 'awaiting_approval' ? 'verify_head' : 'attempt';
  return stood.due.work === 'land' ? 'attempt' : stood.due.work;
}

/** An attempt that is stopped costs nothing; putting allowed work on the branch never does. */
export function withoutAttempt({
  standing,
  attempt,
  attempts_used,
}: State): Pick<State, 'attempt' | 'attempts_used'> {
  if (standing.phase !== 'working' || standing.held !== undefined) return { attempt, attempts_used };
  return { attempt: attempt - 1, attempts_used: attempts_used - 1 };
}

function hasChanged(state: State, { head, evaluated }: PauseAsked): boolean {
  return state.head !== head || (evaluated && state.shown === null);
}

/** What was due is done on the new head; of all else the head is verified, or the attempt made again. */
function afterChange(state: State, event: Resuming, { stood, head }: PauseAsked): Next {
  if ('due' in stood) {
    const { due } = stood;
    if (due.work === 'attempt') return goOnWithAgent(state, event, due);
    if (due.work === 'land' || head === state.head) return queueDue(state, due);
    const why = 'somebody pushed while the run was paused';
    const step = queueWork(state, 'verify_head', 'Verify the new head');
    return withUndoDropped(step, state, event, why);
  }
  const asking = 'asking' in stood ? stood.asking : undefined;
  if (asking !== undefined && isForAgent(asking)) return askAgain(state, event, asking);
  if (asking !== undefined && 'held' in asking) {
    if (head === state.head) return holdForPermission(state, event, asking.held);
    return branchMoved({ ...state, ...settingAside(state) }, event, asking.held.work);
  }
  return queueWork(state, 'verify_head', 'Verify what has changed meanwhile');
}

/**
 * The attempt is due again; if its agent waits for an answer, so does that, unless somebody steered
 * meanwhile.
 */
function goOnWithAgent(state: State, event: Event, due: DueWork): Next {
  const asks = (state.questions ?? []).length > 0;
  return asks ? waitOrGoOn({ ...state, times_lost: 0 }, event) : queueDue(state, due);
}

/**
 * An answer counts also while the run is paused, and lets it go on, if it waits for nothing else and whoever
 * answers may say `/resume`.
 */
export function answerPaused(state: In<'paused'>, event: CommandEventOf<'answer'>): Step {
  const { asked } = state.standing;
  if (asked === undefined || !covers(event.by.role, 'write')) return answerOnly(state, event);
  return answerThen((answered, answer) => whereItStood(answered, answer, asked))(state, event);
}

function backTo(state: State, event: Resuming, stood: Stood): Next {
  if ('due' in stood && stood.due.work === 'attempt') return goOnWithAgent(state, event, stood.due);
  if ('due' in stood) return queueDue(state, stood.due);
  // Approvals are counted again, and compared with GitHub before anything is finished.
  if ('approved' in stood) return landed(state, event);
  return askAgain(state, event, stood.asking);
}

function queueDue(state: State, due: DueWork): Next {
  return next({ ...state, times_lost: 0 }, { standing: { phase: 'queued', ...due } }, 'Queue the work again');
}

/** A new question with a new deadline; steers that came meanwhile take precedence. */
function askAgain(state: State, event: Resuming, asking: AskingHuman): Next {
  if (asking.phase === 'awaiting_approval') return landed(state, event);
  if (asking.phase === 'awaiting_answer') return waitOrGoOn(state, event);
  if ('held' in asking) return holdForPermission(state, event, asking.held);
  if (state.queue.length > 0) return nextIteration(state, event);
  const { kind, of } = asking.interaction;
  const interaction = { ...openingOf(state, kind, event.at), ...(of && { of }) };
  const deadline = deadlineAfter(state, event.at);
  return next(state, { standing: { ...waitingAnew(asking, deadline), interaction } }, 'Ask again');
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}
