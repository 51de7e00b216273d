import { baseChanged, underSettings } from '../branch/changed-base.ts';
import { extendRun, undoRun, updateLater } from '../branch/undo-and-update.ts';
import { cancelRun, followEdit, rejectRun, steerOrQueue } from '../handlers/command-handlers.ts';
import {
  dueAgain,
  ended,
  noAttempt,
  noteHead,
  pauseWithoutBranch,
  pushedByOthers,
  stopForOurFault,
  verifyPush,
} from '../handlers/event-handlers.ts';
import { pause } from '../handlers/pausing.ts';
import { interruptRun, raiseBudget } from '../handlers/resolutions.ts';
import { reportAt, withAgent, withPush } from '../iterations/authorship.ts';
import { attemptDue, stageOf } from '../iterations/iteration.ts';
import { ignored, next, nothing, type Row, type Step } from '../iterations/step.ts';
import { withoutGrant } from '../permission/permitted-calls.ts';
import { shortSha } from '../phrases/phrases.ts';
import { somebody } from '../shapes/people.ts';
import type { DueWork, WorkKind } from '../shapes/standing.ts';
import type { EventOf } from '../state/event.ts';
import type { In, State } from '../state/state.ts';

declare module '../shapes/standing.ts' {
  interface Standings {
    queued: { phase: 'queued' } & DueWork;
  }
}

/** Work waits for an engine to take it. */
export const queued: Row<'queued'> = {
  kind: 'in_progress',
  about: ({ work }) => {
    if (work === 'land') return 'held_work';
    return work === 'attempt' ? 'attempt' : 'verification';
  },
  commands: {
    steer: steerOrQueue,
    reject: rejectRun,
    cancel: cancelRun,
    budget: raiseBudget,
    undo: undoRun,
    update: updateLater,
    pause,
    interrupt: interruptRun,
    extend: extendRun,
  },
  events: {
    ...noAttempt,
    attempt_started: take,
    comment_changed: followEdit,
    // The head waiting to be verified is now someone else's commit, not an attempt's.
    pushed: (state, event) =>
      workAhead(state.standing) === 'attempt' ? noteHead(state, event) : verifyPush(state, event),
    retargeted: baseChanged,
    branch_deleted: (state, event) => pauseWithoutBranch(workAhead(state.standing))(state, event),
    closed: ended,
    run_failed: stopForOurFault(dueAgain),
    timer_due: ignored,
  },
};

/** What has to be done if the run stops first: allowed work does not fit on another branch. */
function workAhead(due: DueWork): WorkKind {
  return due.work === 'land' ? 'attempt' : due.work;
}

/** The first holder to ask for the attempt that is due gets it; all others find it taken. */
function take(before: In<'queued'>, event: EventOf<'attempt_started'>): Step {
  if (!isDue(before, event)) return nothing;
  const { hold, head, at } = event;
  const due = before.standing;
  const state = {
    ...underSettings(before, event.settings ?? before.settings),
    ...(event.unsandboxed && { unsandboxed: true as const }),
  };
  const moved: Partial<State> =
    head === state.head
      ? {}
      : // Our own commits land together with their record, so this one is somebody else's.
        {
          ...withoutGrant(state),
          ...{ head, head_at: at, shown: null, ...reportAt(state, head), approvals: [] },
          ...pushedByOthers(state),
          pushes: withPush(state, { head, by: somebody }),
        };
  if (due.work === 'land') {
    const standing = { phase: 'working', hold, held: due.held } as const;
    return next(state, { ...moved, standing }, `Push ${shortSha(due.held.work.head)} to the branch`);
  }
  if (due.work !== 'attempt') {
    const standing = { ...due, phase: 'verifying', hold, work: due.work } as const;
    return next(state, { ...moved, standing }, `Verify ${shortSha(head)}`);
  }
  const standing = { phase: 'working', hold } as const;
  const stage = stageOf(state).name;
  const counted: Partial<State> = {
    ...{ attempt: hold.attempt, attempts_used: state.attempts_used + 1 },
    // An update keeps what has been approved until its head is another, and an agent may have to make that.
    approvals: [],
    ...(state.settings.stages && { stage }),
  };
  return next(
    state,
    { ...moved, ...counted, ...withAgent(state), standing },
    due.goes_on
      ? `Start the stage ${stage} of attempt ${hold.attempt}`
      : `Start attempt ${hold.attempt} of iteration ${state.iteration}`,
  );
}

/** Whether this is the work that waits, with settings for the base as it is now. */
function isDue(state: In<'queued'>, { hold, base = state.run.base }: EventOf<'attempt_started'>): boolean {
  return hold.iteration === state.iteration && hold.attempt === attemptDue(state) && base === state.run.base;
}
