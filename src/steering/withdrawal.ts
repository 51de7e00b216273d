import { isInQueue } from './approval/in-merge-queue.ts';
import type { Event } from './state/event.ts';
import { mayStayPending, type PendingEffect } from './state/pending-effect.ts';
import type { State } from './state/state.ts';

/** How many former heads are kept until their decisions are known to be taken back. */
const maxFormerHeads = 20;

type Withdrawal = Extract<PendingEffect, { do: 'withdraw' }>;

/**
 * The state after the event, with what GitHub must no longer show: the decision on a head that the run has
 * left, and everything that lets a run be merged whose approval has fallen.
 */
export function withWithdrawal(before: State | undefined, after: State, { id }: Event): State {
  const heads = before === undefined ? [] : leftHead(before, after);
  const approved = before === undefined ? after.restored !== undefined : hasFallen(before, after);
  if (heads.length === 0 && !approved) return after;
  const queued = approved && isInQueue(before) && ({ queued: true } as const);
  const effect: Withdrawal = { id: `${id}:withdraw`, do: 'withdraw', heads, approved, ...queued };
  return { ...after, owed: bounded([...after.owed, effect]) };
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
