import { answerOnly, awaitAnswers } from '../attempts/questions.ts';
import { baseChanged } from '../branch/changed-base.ts';
import { changedKeys } from '../branch/retried-task.ts';
import { extendRun } from '../branch/undo-and-update.ts';
import { cancelRun, followEdit, rejectRun, retryLanding } from '../handlers/command-handlers.ts';
import { ended, noAttempt, noteHead, pauseWithoutBranch } from '../handlers/event-handlers.ts';
import { objectionToResolution, retryWith } from '../handlers/resolutions.ts';
import { accepted, type CommandEventOf, ignored, type Row, type Step } from '../iterations/step.ts';
import type { In } from '../state/state.ts';

declare module '../shapes/standing.ts' {
  interface Standings {
    failed: {
      phase: 'failed';
      reference: string;
      what: string;
      /** Present if nothing is wrong with Coxswain itself. */
      because?: 'configuration';
      resumes_with: WorkKind;
      /** The number of the ledger commit that recorded it; absent if an older version did. */
      seq?: number;
      /** Present if allowed work was being put on the branch; it is tried again first. */
      held?: HeldWork;
    };
  }
}

/** Stopped by an internal error or an unusable configuration; the run is intact and can be retried. */
export const failed: Row<'failed'> = {
  kind: 'stopped',
  about: ({ held }) => (held === undefined ? undefined : 'held_work'),
  commands: {
    retry: retryStopped,
    answer: answerOnly,
    reject: rejectRun,
    cancel: cancelRun,
    extend: extendRun,
  },
  events: {
    ...noAttempt,
    pushed: noteHead,
    retargeted: baseChanged,
    branch_deleted: pauseWithoutBranch('attempt'),
    comment_changed: followEdit,
    closed: ended,
    run_failed: ignored,
    timer_due: ignored,
  },
};

/**
 * Work that a human had already allowed needs no other attempt, and what an agent asked is still to be
 * answered, unless the task is now another one.
 */
function retryStopped(state: In<'failed'>, event: CommandEventOf<'retry'>): Step {
  const { held, resumes_with } = state.standing;
  const objection = objectionToResolution(state, event);
  if (objection !== undefined) return objection;
  if (changedKeys(state, event).length > 0) return retryWith(state, event, 'attempt');
  const asks = held === undefined && resumes_with === 'attempt' ? awaitAnswers(state, event) : undefined;
  if (asks !== undefined) return accepted(asks, event);
  return held === undefined ? retryWith(state, event, resumes_with) : retryLanding(state, event, held);
}
