import { enterQueue, leaveQueue } from '../approval/in-merge-queue.ts';
import { revokeIfRed } from '../attempts/checked-again.ts';
import { approversOf, verifyForBase } from '../branch/changed-base.ts';
import { extendRun, undoRun, updateRun } from '../branch/undo-and-update.ts';
import { finish, recheckFinished, revoked } from '../handlers/approving.ts';
import { cancelRun, rejectRun, steerNow, verifyAgain } from '../handlers/command-handlers.ts';
import { noAttempt, pauseWithoutBranch, stopForOurFault, withoutReview } from '../handlers/event-handlers.ts';
import { pause } from '../handlers/pausing.ts';
import { queueWork } from '../iterations/iteration.ts';
import { ignored, next, nothing, type Row, type Step, withReply } from '../iterations/step.ts';
import type { PolicyGround } from '../shapes/finishing.ts';
import { isBefore } from '../shapes/time.ts';
import type { EventOf } from '../state/event.ts';
import type { Approval, In } from '../state/state.ts';

declare module '../shapes/standing.ts' {
  interface Standings {
    approved: {
      phase: 'approved';
      finish: 'checking' | 'finished';
      /** Absent if people approved it. */
      ground?: PolicyGround;
      /**
       * Where it stands in the merge queue of its base, since when (ISO 8601), and who saw to it. Absent if
       * it was in none since, and in ledgers of older versions.
       */
      queue?: { readonly is: 'in' | 'out'; readonly at: string; readonly by: string };
    };
  }
}

/** Approved and out of draft until merged or closed; a push or a failing verifier revokes the approval. */
export const approved: Row<'approved'> = {
  kind: 'approved',
  commands: {
    steer: steerNow,
    verify: verifyAgain,
    reject: rejectRun,
    cancel: cancelRun,
    undo: undoRun,
    update: updateRun,
    pause,
    extend: extendRun,
  },
  events: {
    ...noAttempt,
    checks_reported: revokeIfRed,
    finish_checked: (state, event) =>
      state.standing.finish === 'checking' ? finish(state, event) : recheckFinished(state, event),
    enqueued: enterQueue,
    dequeued: leaveQueue,
    pushed: revoked,
    retargeted: verifyForBase('verify_head'),
    review_dismissed: dismissed,
    branch_deleted: pauseWithoutBranch('verify_head'),
    closed: (state, event) => {
      // Only a run that passed the final check ends with approvals, and only for the base they were for.
      const isFinished =
        state.standing.finish === 'finished' && (event.base ?? state.run.base) === state.run.base;
      const approvals = isFinished ? state.approvals : [];
      const { ground } = isFinished ? state.standing : {};
      const by_policy = ground === undefined ? {} : { ground };
      const standing = { phase: 'done', merged: event.merged, ...by_policy } as const;
      return next(state, { standing, approvals }, `${event.merged ? 'Merged' : 'Closed'} by ${event.by}`);
    },
    run_failed: stopForOurFault('verify_head'),
    comment_changed: ignored,
    reopened: reopenedUnheard,
    timer_due: ignored,
  },
};

/**
 * We did not hear that somebody closed it, which takes the approval back, unless that was given afterwards:
 * then only the news is late.
 */
function reopenedUnheard(state: In<'approved'>, event: EventOf<'reopened'>): Step {
  const { ground } = state.standing;
  const times = [...state.approvals.map(saidAt), ...(ground === undefined ? [] : [ground.at])];
  const isLate = times.length > 0 && times.every((at) => isBefore(event.at, at));
  if (isLate) return nothing;
  const subject = `Approval revoked: ${event.by} reopened the pull request`;
  const step = queueWork({ ...state, approvals: [] }, 'verify_head', subject);
  const reasons = ['the pull request was closed and reopened'];
  return withReply(step, event, { say: 'finish_refused', reasons, ...approversOf(state) });
}

/** An edit by its author changes the time at which a comment counts, not what they had read. */
function saidAt({ at, source }: Approval): string {
  return source.from === 'comment' ? source.written_at : at;
}

/** Without that review there are too few approvals, so the head is verified and approval asked again. */
function dismissed(state: In<'approved'>, event: EventOf<'review_dismissed'>): Step {
  const without = withoutReview(state, event);
  if (without === undefined) return nothing;
  return queueWork(without, 'verify_head', `Approval revoked: ${event.by} dismissed a review`);
}
