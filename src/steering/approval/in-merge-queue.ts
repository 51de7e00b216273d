import { approversOf } from '../branch/changed-base.ts';
import { queueWork } from '../iterations/iteration.ts';
import { next, nothing, type Step, withReply } from '../iterations/step.ts';
import { isSurelyBefore } from '../shapes/time.ts';
import type { EventOf, QueueExit } from '../state/event.ts';
import type { In, State } from '../state/state.ts';
import { approvedAt, groundOf, leaveToPeople } from './auto-approval.ts';

/** Whether the pull request of an approved run is in a merge queue, as far as we know. */
export function isInQueue(state: State | undefined): boolean {
  return state?.standing.phase === 'approved' && state.standing.queue?.is === 'in';
}

/** Whether a person took the approved run out of the queue: only a person puts it there again. */
export function wasTakenOut({ standing }: State): boolean {
  return standing.phase === 'approved' && standing.queue?.is === 'out';
}

/** Somebody, or we, put an approved run into the merge queue; news of it may come late. */
export function enterQueue(state: In<'approved'>, { at, by }: EventOf<'enqueued'>): Step {
  const { standing } = state;
  const { queue } = standing;
  if (standing.finish !== 'finished' || queue?.is === 'in') return nothing;
  if (queue !== undefined && isSurelyBefore(at, queue.at)) return nothing;
  const entered = { ...standing, queue: { is: 'in', at, by } } as const;
  return next(state, { standing: entered }, `In the merge queue, by ${by}`);
}

/**
 * What a person took out stays approved. Where GitHub did, people decide: the commit that they approved is
 * the same, but it cannot be merged as it is.
 */
export function leaveQueue(state: In<'approved'>, event: EventOf<'dequeued'>): Step {
  const { at, by, because, details = [] } = event;
  const { standing } = state;
  if (standing.finish !== 'finished' || isNewerThan(state, at)) return nothing;
  if (because === 'person') {
    const left = { ...standing, queue: { is: 'out', at, by } } as const;
    const step = next(state, { standing: left }, `Taken out of the merge queue by ${by}`);
    return withReply(step, event, { say: 'left_queue', by });
  }
  const reasons = [`GitHub took it out of the merge queue, ${exitText[because]}`, ...details];
  const asked =
    groundOf(state) === undefined ? state : leaveToPeople(state, { why: 'finish_refused', reasons });
  const again = queueWork({ ...asked, approvals: [] }, 'verify_head', `Do not finish: ${reasons.join('; ')}`);
  return withReply(again, event, { say: 'finish_refused', reasons, ...approversOf(state) });
}

/** Whether it was approved, or put into the queue, after that: then it is not this that left. */
function isNewerThan(state: In<'approved'>, at: string): boolean {
  const { queue } = state.standing;
  if (queue !== undefined) return isSurelyBefore(at, queue.at);
  const given = approvedAt(state);
  return given.length > 0 && given.every((approval) => isSurelyBefore(at, approval.at));
}

const exitText: Readonly<Record<Exclude<QueueExit, 'person'>, string>> = {
  checks: 'because a required check failed on its merge group',
  timeout: 'because its required checks did not come in time',
  conflict: 'because it conflicts with what is merged before it',
  rules: 'because the rules of the base do not allow it any more',
  unknown: 'for a reason that it does not say',
};
