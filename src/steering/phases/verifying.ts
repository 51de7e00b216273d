import {
  checkOutput,
  checksDeadline,
  inOrder,
  isLate,
  reportOn,
  type Unawaited,
  unsettled,
  untilOf,
} from '../approval/ci-results.ts';
import { afterVerifierFailure, again, judge } from '../attempts/attempt-outcome.ts';
import { answerThen } from '../attempts/questions.ts';
import { waitOrGoOn } from '../attempts/stopped-agent.ts';
import { verifyForBase } from '../branch/changed-base.ts';
import {
  baseMerged,
  extendRun,
  undoFailed,
  undone,
  undoOf,
  undoRun,
  updateDue,
  updateLater,
} from '../branch/undo-and-update.ts';
import { failedRequired } from '../confidence/evaluation.ts';
import { cancelRun, followEdit, rejectRun, steerOrQueue } from '../handlers/command-handlers.ts';
import {
  dueAgain,
  ended,
  forgetReview,
  keepLateResult,
  noAgent,
  noQueue,
  noResolution,
  pauseWithoutBranch,
  stopForOurFault,
  verifyPush,
} from '../handlers/event-handlers.ts';
import { pause } from '../handlers/pausing.ts';
import { interruptRun, raiseBudget } from '../handlers/resolutions.ts';
import { isCiSkipped } from '../iterations/iteration.ts';
import { observed } from '../iterations/observations.ts';
import { withTime } from '../iterations/spending.ts';
import {
  holdsLease,
  ignored,
  type Next,
  next,
  nothing,
  type Row,
  type Step,
  withEffect,
} from '../iterations/step.ts';
import { shortSha } from '../phrases/phrases.ts';
import type { Found } from '../shapes/attempt-result.ts';
import { isSameNews, verdictOf } from '../shapes/check-report.ts';
import { withRedChecks } from '../shapes/proof.ts';
import {
  type AwaitedChecks,
  type AwaitingChecks,
  isAwaitingChecks,
  type Verifying,
} from '../shapes/standing.ts';
import { isBefore } from '../shapes/time.ts';
import type { EventOf, Stamp } from '../state/event.ts';
import type { In, State } from '../state/state.ts';
import { lost } from './working.ts';

declare module '../shapes/standing.ts' {
  interface Standings {
    verifying: Verifying | AwaitingChecks;
  }
}

/** The agent has exited; the repository's verifiers check its commit. */
export const verifying: Row<'verifying'> = {
  kind: 'in_progress',
  about: 'verification',
  commands: {
    steer: steerOrQueue,
    answer: (state, event) => answered({ ...state, attempts_used: 0 }, event),
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
    verified: (state, event) =>
      holdsLease(state, event.hold) && event.head === state.head
        ? afterVerifiers(state, event)
        : keepLateResult(state, event),
    work_failed: (state, event) =>
      holdsLease(state, event.hold) ? verifiersFailed(state, event) : keepLateResult(state, event),
    checks_reported: noteChecks,
    base_moved: ignored,
    base_merged: (state, event) =>
      holdsLease(state, event.hold) && event.head_before === state.head && updateDue(state) !== undefined
        ? baseMerged(state, event)
        : keepLateResult(state, event),
    ...noResolution,
    ...noQueue,
    ci_started: startCi,
    undone: (state, event) => undone(state, event) ?? keepLateResult(state, event),
    hold_lost: lose,
    comment_changed: followEdit,
    pushed: verifyPush,
    retargeted: (state, event) => goingOn(state, verifyForBase(state.standing.work)(state, event)),
    branch_deleted: pauseWithoutBranch('verify_head'),
    review_dismissed: forgetReview,
    closed: ended,
    run_failed: stopForOurFault(dueAgain),
    work_finished: keepLateResult,
    work_held: keepLateResult,
    work_parked: keepLateResult,
    attempt_started: ignored,
    ...noAgent,
    reopened: ignored,
    timer_due: endWait,
    finish_checked: ignored,
  },
};

/** What is found of work that its agent goes on with is of no use. */
const answered = answerThen(waitOrGoOn);

/** The empty commit is pushed together with this record; what was approved before it has to be again. */
function startCi(state: In<'verifying'>, event: EventOf<'ci_started'>): Step {
  const { hold, head_before, head, at } = event;
  const { standing } = state;
  const isDue = holdsLease(state, hold) && head_before === state.head;
  if (!isDue || isAwaitingChecks(standing) || !standing.starts_ci) return keepLateResult(state, event);
  const { starts_ci: _, ...verifying } = standing;
  const changed = { head, head_at: at, shown: null, approvals: [], standing: verifying };
  return { ...next(state, changed, `Let CI run on ${shortSha(head)}`), takes_code: true };
}

function lose(state: In<'verifying'>, event: EventOf<'hold_lost'>): Step {
  const { standing } = state;
  if (!holdsLease(state, event.hold) || isAwaitingChecks(standing)) return nothing;
  const { work } = standing;
  return goingOn(state, again(state, event, { ...lost, work }));
}

/** The work under verification is due again, with what comes before the verifiers. */
function goingOn({ standing }: In<'verifying'>, step: Step): Step {
  if (step === 'nothing' || 'refused' in step) return step;
  const { state } = step;
  if (isAwaitingChecks(standing)) return step;
  const { phase: _, hold, work, ...before } = standing;
  const isDue = state.standing.phase === 'queued' && state.standing.work === work;
  if (!isDue || state.iteration !== hold.iteration) return step;
  return { ...step, state: { ...state, standing: { phase: 'queued', work, ...before } } };
}

/** Without the commit that it was to be about, the head is verified as it is. */
function verifiersFailed(state: In<'verifying'>, event: EventOf<'work_failed'>): Step {
  if (undoOf(state) !== undefined) return undoFailed(state, event, event.failure.message);
  return afterVerifierFailure(state, event, state.standing.work);
}

type Waiting = State & { readonly standing: AwaitingChecks };

/** The verifiers have run: what they found is judged, unless checks are still to be waited for. */
function afterVerifiers(before: State & { readonly standing: Verifying }, event: EventOf<'verified'>): Next {
  const { work } = before.standing;
  const state = withTime(observed(before, event), event.duration_s);
  const { checks = [] } = state.settings;
  if (checks.length === 0) return judge(state, event, work);
  const found = foundIn(event);
  const because = reasonNotToWait(state, event);
  const awaits: AwaitedChecks = { found, since: event.at, seen: [], late: [] };
  if (because !== undefined) return judgeTogether(state, event, { work, awaits, because });
  const waiting = next(state, { standing: { phase: 'verifying', work, awaits } }, 'Wait for CI checks');
  return withEffect(waiting, { id: `${event.id}:checks`, do: 'read_checks' });
}

/** What is red stays red, and what nobody has let run does not come. */
function reasonNotToWait(state: State, { verifiers }: EventOf<'verified'>): Unawaited | undefined {
  if (failedRequired(verifiers).length > 0) return 'pointless';
  return isCiSkipped(state) ? 'held_back' : undefined;
}

function foundIn({
  id: _,
  at: __,
  type: ___,
  hold: ____,
  blocked: _____,
  notices: ______,
  heard: _______,
  ...found
}: EventOf<'verified'>): Found {
  return found;
}

/** GitHub has named the checks: the wait is over as soon as it is certain what comes of it. */
function noteChecks(state: In<'verifying'>, event: EventOf<'checks_reported'>): Step {
  if (!isWaiting(state) || event.head !== state.head) return nothing;
  const { awaits } = state.standing;
  if (isSameNews(awaits.seen, event.checks)) return nothing;
  return goOn(state, event, { ...awaits, seen: event.checks });
}

/** The time of some checks is over, and the run no longer waits for them. */
function endWait(state: In<'verifying'>, event: EventOf<'timer_due'>): Step {
  if (!isWaiting(state) || event.timer !== 'checks') return nothing;
  if (event.deadline !== checksDeadline(state) || isBefore(event.at, event.deadline)) return nothing;
  const { awaits } = state.standing;
  const over = unsettled(state).filter((spec) => !isBefore(event.deadline, untilOf(awaits, spec)));
  return goOn(state, event, { ...awaits, late: [...awaits.late, ...over.map(({ name }) => name)] });
}

function isWaiting(state: State): state is Waiting {
  return isAwaitingChecks(state.standing);
}

function goOn(state: Waiting, event: Stamp, awaits: AwaitedChecks): Next {
  const { work } = state.standing;
  const moved: Waiting = { ...state, standing: { ...state.standing, awaits } };
  const say = (awaits.seen ?? []).map(({ name, status, conclusion }) => `${name} ${conclusion ?? status}`);
  if (unsettled(moved).length > 0 && !isRed(moved))
    return next(moved, {}, `Note what the CI checks say: ${say.join(', ') || 'nothing yet'}`);
  return judgeTogether(moved, event, { work, awaits, because: 'pointless' });
}

/** Whether a required one has ended and is not green: the others would change nothing. */
function isRed({ settings: { checks = [] }, standing: { awaits } }: Waiting): boolean {
  return checks
    .filter(({ required }) => required)
    .some((spec) => {
      const verdict = verdictOf(reportOn(awaits.seen, spec));
      return verdict === 'red' || verdict === 'not_run' || (verdict !== 'green' && isLate(awaits, spec));
    });
}

interface Together extends Pick<AwaitingChecks, 'work' | 'awaits'> {
  /** Why those are judged that have neither ended nor run out of time. */
  readonly because: Unawaited;
}

function judgeTogether(state: State, { id, at }: Stamp, { work, awaits, because }: Together): Next {
  const { checks = [] } = state.settings;
  const outputs = checks.map((spec) => {
    const report = reportOn(awaits.seen, spec);
    const why = isLate(awaits, spec) ? 'late' : because;
    return { spec, output: checkOutput(state, spec, report, why) };
  });
  const verifiers = inOrder(awaits.found.verifiers, outputs);
  const baseline = withRedChecks(awaits.found.baseline, awaits.seen);
  return judge(state, { ...awaits.found, ...baseline, id, at, verifiers }, work);
}
