import { keepParked } from '../attempts/stopped-agent.ts';
import { relink } from '../branch/task-dependencies.ts';
import { withUndoDropped } from '../branch/undo-and-update.ts';
import { reportAt, withContributors, withPush } from '../iterations/authorship.ts';
import { endedBy, interactionsOf, settingAside, settledButQuestions } from '../iterations/interactions.ts';
import { currentIteration, queueWork } from '../iterations/iteration.ts';
import { withRan } from '../iterations/observations.ts';
import { withCost } from '../iterations/spending.ts';
import { ignored, type Next, next, nothing, type Row, type Step } from '../iterations/step.ts';
import { withoutGrant } from '../permission/permitted-calls.ts';
import { shortSha } from '../phrases/phrases.ts';
import type { Cost, GateHit } from '../shapes/attempt-result.ts';
import type { HeldWork, Phase, WorkKind } from '../shapes/standing.ts';
import type { Event, EventOf } from '../state/event.ts';
import type { In, State } from '../state/state.ts';

/** Someone merged or closed the pull request; this ends the run in any phase. */
export function ended(state: State, event: EventOf<'closed'>): Next {
  const settled = endedBy(state, event, { by: event.by, how: event.merged ? 'merged' : 'closed' });
  if (event.merged) {
    return next(state, { ...settled, standing: { phase: 'done', merged: true } }, `Merged by ${event.by}`);
  }
  const reason = 'the pull request was closed';
  const standing = { phase: 'cancelled', by: event.by, reason } as const;
  return next(state, { ...settled, standing }, `Closed by ${event.by}`);
}

/** The branch was deleted: pause. We never recreate a branch that someone deleted. */
export function pauseWithoutBranch(
  resumes_with: WorkKind,
): (state: State, event: EventOf<'branch_deleted'>) => Step {
  return (state, event) =>
    next(
      state,
      {
        ...settledButQuestions(state, event, { by: event.by, how: 'branch deleted' }),
        ...settingAside(state),
        standing: { phase: 'paused', why: 'branch_deleted', resumes_with },
      },
      `Pause: ${event.by} deleted the branch`,
    );
}

/** Someone else's commit becomes the new head: it is verified, and earlier approvals do not apply to it. */
export function verifyPush(state: State, event: EventOf<'pushed'>): Step {
  if (!isNews(state, event)) return nothing;
  const settled = settledButQuestions(state, event, { by: event.by, how: 'pushed' });
  const moved = { ...withHead(state, event), ...settled, ...settingAside(state) };
  const step = queueWork(moved, 'verify_head', pushSubject(event));
  return withUndoDropped(step, state, event, `${event.by} pushed meanwhile`);
}

/** Records a new head; the work still to be done will start from it. */
export function noteHead(state: State, event: EventOf<'pushed'>): Step {
  return isNews(state, event) ? next(withHead(state, event), {}, pushSubject(event)) : nothing;
}

/** Whether a push brings a new head; webhooks arrive late, and also for our own pushes. */
export function isNews(state: State, { before, head }: EventOf<'pushed'>): boolean {
  if (head === state.head) return false;
  // Coming from the current head, even an old commit is new: someone reset the branch.
  return before === state.head || !knownHeads(state).includes(head);
}

function knownHeads(state: State): readonly string[] {
  const landed = state.iterations.flatMap(({ head_before, head_after }) => [head_before, head_after]);
  return [state.run.head, ...landed, ...state.attempts.map(({ head }) => head)];
}

/** The state with a head that somebody else pushed: whatever was shown or approved is void. */
export function withHead(state: State, event: EventOf<'pushed'>): State {
  const { head, at: head_at, by: login, by_id: id = 0, merges_base = false } = event;
  const pushes = withPush(state, { head, by: login });
  const moved = {
    ...withoutGrant(state),
    head,
    head_at,
    shown: null,
    ...reportAt(state, head),
    approvals: [],
    pushes,
  };
  // Whoever only brings the branch up to date has not worked on it.
  const contributors = merges_base ? {} : withContributors(state, [{ login, id }]);
  return { ...moved, ...contributors, ...(merges_base ? baseMerged(state) : pushedByOthers(state)) };
}

/** Whoever reads what is on show does not see what someone pushes meanwhile. */
export function pushedByOthers(state: State): Pick<State, 'pushed_while_shown'> {
  return interactionsOf(state).length === 0 ? {} : { pushed_while_shown: true };
}

function baseMerged(state: State): Pick<State, 'base_merged_while_shown'> {
  return interactionsOf(state).length === 0 ? {} : { base_merged_while_shown: true };
}

/**
 * A late result is recorded in the ledger but never reaches the branch. Its models have cost money all the
 * same, and what its agent did is done.
 */
export function keepLateResult(state: State, event: Event): Step {
  const subject = `Record a late result (${event.type.replaceAll('_', ' ')})`;
  const step = next(withRan(withCost(state, costOf(event)), ranIn(event)), {}, subject);
  return keepsWork(event) ? { ...step, takes_code: true } : step;
}

/** Whether work that failed to get onto the branch comes with the event, to be kept beside it. */
export function keepsWork(event: Event): boolean {
  if (event.type === 'work_parked') return event.left !== null && event.left.kept !== null;
  return event.type === 'work_failed' && event.kept_ref !== undefined;
}

function ranIn(event: Event): readonly GateHit[] | undefined {
  if (event.type === 'work_finished' || event.type === 'work_held') return event.work.ran;
  return event.type === 'work_failed' || event.type === 'work_parked' ? event.ran : undefined;
}

function costOf(event: Event): Cost {
  if (event.type === 'work_finished' || event.type === 'work_held') return event.work.cost;
  return ((event.type === 'work_failed' || event.type === 'work_parked') && event.cost) || {};
}

/**
 * An internal error or an unusable configuration stops the run; /retry continues where it stopped. `ahead`:
 * the work that it then has to do.
 */
export function stopForOurFault<P extends Phase>(
  ahead: WorkKind | ((standing: In<P>['standing']) => WorkAhead),
): (state: In<P>, event: EventOf<'run_failed'>) => Step {
  return (state, event) => {
    const { reference, what, because } = event;
    const settled = settledButQuestions(state, event, { by: 'coxswain', how: 'failed' });
    const stopped = { phase: 'failed', reference, what, seq: state.seq + 1 } as const;
    const resumes = typeof ahead === 'string' ? { resumes_with: ahead } : ahead(state.standing);
    const standing = { ...stopped, ...(because && { because }), ...resumes };
    return next(state, { ...settled, standing }, `Stop: ${what} (${reference})`);
  };
}

type WorkAhead = Pick<In<'failed'>['standing'], 'resumes_with' | 'held'>;

/**
 * The work that is due after a failure, where some waits or is under way; what is allowed is put on the
 * branch again first.
 */
export function dueAgain({
  work,
  held,
}: {
  readonly work: WorkKind | 'land';
  readonly held?: HeldWork | undefined;
}): WorkAhead {
  return { resumes_with: work === 'land' ? 'attempt' : work, ...(held !== undefined && { held }) };
}

/** A dismissed review no longer counts, whatever the phase. */
export function forgetReview(state: State, event: EventOf<'review_dismissed'>): Step {
  const without = withoutReview(state, event);
  return without === undefined ? nothing : next(without, {}, `${event.by} dismissed an approving review`);
}

/** The state without the approval from that review; undefined if there was none. */
export function withoutReview(state: State, event: EventOf<'review_dismissed'>): State | undefined {
  const approvals = state.approvals.filter(
    ({ source }) => !(source.from === 'review' && source.review_id === event.review_id),
  );
  return approvals.length === state.approvals.length ? undefined : { ...state, approvals };
}

/** The pull request of an ended run was reopened: wait for /resume, then continue where the run ended. */
export function pauseReopened(state: State, event: EventOf<'reopened'>): Step {
  const resumes_with = currentIteration(state).landed ? 'verify_head' : 'attempt';
  const standing = { phase: 'paused', why: 'reopened', resumes_with } as const;
  return next(state, { standing, approvals: [] }, `Reopened by ${event.by}; paused`);
}

function pushSubject({ by, head, forced }: EventOf<'pushed'>): string {
  return `${by} ${forced ? 'force-pushed' : 'pushed'} ${shortSha(head)}`;
}

/** How a phase handles what agents ask and are told, where none works. */
export const noAgent = {
  permission_requested: ignored,
  permission_lapsed: ignored,
  question_asked: ignored,
  question_withdrawn: ignored,
  steer_told: ignored,
} satisfies Partial<Row<Phase>['events']>;

/** How a phase handles news of other runs, where it does not wait for them. */
export const noResolution = {
  dependencies_read: ignored,
  relinked: relink,
  spawned: ignored,
} satisfies Partial<Row<Phase>['events']>;

/** Where nothing is to be merged, what happens in a merge queue is GitHub's business. */
export const noQueue = {
  enqueued: ignored,
  dequeued: ignored,
} satisfies Partial<Row<Phase>['events']>;

/**
 * How phases without an attempt in progress handle what is not about them: results are late, nothing is
 * finished, and a dismissed review counts no longer.
 */
export const noAttempt = {
  work_finished: keepLateResult,
  work_held: keepLateResult,
  work_parked: keepParked,
  ci_started: keepLateResult,
  undone: keepLateResult,
  work_failed: keepLateResult,
  verified: keepLateResult,
  attempt_started: ignored,
  checks_reported: ignored,
  base_moved: ignored,
  base_merged: keepLateResult,
  ...noResolution,
  ...noQueue,
  hold_lost: ignored,
  ...noAgent,
  review_dismissed: forgetReview,
  reopened: ignored,
  finish_checked: ignored,
} satisfies Partial<Row<Phase>['events']>;
