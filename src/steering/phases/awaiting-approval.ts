import { judgeAgain } from '../attempts/checked-again.ts';
import { noteMovedBase, verifyForBase } from '../branch/changed-base.ts';
import { extendRun, undoRun, updateRun } from '../branch/undo-and-update.ts';
import { openConcerns, reviewOf } from '../confidence/evaluation.ts';
import { approve } from '../handlers/approving.ts';
import { cancelRun, rejectRun, steerNow, verifyAgain } from '../handlers/command-handlers.ts';
import { timerDue } from '../handlers/deadlines.ts';
import {
  ended,
  noAttempt,
  pauseWithoutBranch,
  stopForOurFault,
  verifyPush,
} from '../handlers/event-handlers.ts';
import { pause } from '../handlers/pausing.ts';
import { interruptRun, raiseBudget, retryTask, splitTask } from '../handlers/resolutions.ts';
import { approvalAsked } from '../iterations/requests-for-programs.ts';
import {
  type AskingRow,
  accepted,
  type CommandEventOf,
  ignored,
  next,
  refuse,
  type Step,
} from '../iterations/step.ts';
import { because, shortSha } from '../phrases/phrases.ts';
import type { In } from '../state/state.ts';

declare module '../shapes/standing.ts' {
  interface Standings {
    awaiting_approval: AwaitingApproval;
  }
}

/** A commit is under review, and a human decides. */
export const awaitingApproval: AskingRow<'awaiting_approval'> = {
  kind: 'asks',
  request: approvalAsked,
  asked: ({ head_sha }) => `Is the work at ${shortSha(head_sha)} ready?`,
  commands: {
    steer: steerNow,
    approve,
    reject: rejectRun,
    cancel: cancelRun,
    budget: raiseBudget,
    retry: retryTask,
    spawn: splitTask,
    verify: verifyAgain,
    dismiss: dismissConcern,
    undo: undoRun,
    update: updateRun,
    pause,
    interrupt: interruptRun,
    extend: extendRun,
  },
  events: {
    ...noAttempt,
    checks_reported: judgeAgain,
    base_moved: noteMovedBase,
    pushed: verifyPush,
    retargeted: verifyForBase('verify_head'),
    branch_deleted: pauseWithoutBranch('verify_head'),
    closed: ended,
    timer_due: timerDue,
    run_failed: stopForOurFault('verify_head'),
    comment_changed: ignored,
  },
};

/**
 * Somebody settles a concern. What is decided about the commit on show stays decided: where a concern had it
 * wait for people, it goes on waiting for them.
 */
function dismissConcern(state: In<'awaiting_approval'>, event: CommandEventOf<'dismiss'>): Step {
  const { concern: named, reason: why } = event.command;
  const review = reviewOf(state, state.head);
  const open = review === undefined ? [] : openConcerns(review);
  if (review === undefined || !open.some(({ id }) => id === named))
    return refuse({ why: 'no_such_concern', named, open: open.map(({ id }) => id) });
  const by = event.by.login;
  const concerns = review.concerns.map((concern) =>
    concern.id === named ? { ...concern, state: 'dismissed' as const, dismissed: { by, why } } : concern,
  );
  return accepted(
    next(state, { review: { ...review, concerns } }, `${by} dismissed the concern ${named}${because(why)}`),
    event,
  );
}
