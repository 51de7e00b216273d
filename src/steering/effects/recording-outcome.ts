import { spentBefore, sumOfSeconds } from '../iterations/spending.ts';
import { isEnd } from '../phases/table.ts';
import type { Outcome } from '../shapes/outcome.ts';
import type { Event } from '../state/event.ts';
import type { State } from '../state/state.ts';

/**
 * The state after the event, with the outcome among what it owes if the run has ended with it. Only the App
 * can prove what it writes, so the Action writes nothing: what anybody could have written counts for nobody.
 */
export function withOutcome(before: State | undefined, after: State, event: Event): State {
  if (before === undefined || after.run.presenter !== 'app') return after;
  if (!isEnd(before.standing, after.standing)) return after;
  const outcome = outcomeOf(before, after, event);
  const effect = { id: `${event.id}:outcome`, do: 'record_outcome', outcome } as const;
  return { ...after, owed: [...after.owed, effect] };
}

function outcomeOf(before: State, after: State, event: Event): Outcome {
  const { run, shown, iterations, agents = [], flaky = [], started_at, updated_at } = after;
  const confidence = shown?.confidence;
  return {
    ...{ version: 1, repository_id: run.repository_id, number: run.number },
    ...{ seq: after.seq, event: event.id },
    outcome: kindOf(after, event),
    approved_by: approvedBy(before, after),
    agents,
    iterations: iterations.length,
    // The current iteration counts its attempts only when it has landed.
    attempts: iterations.slice(0, -1).reduce((sum, each) => sum + each.attempts, after.attempt),
    score: confidence?.score ?? null,
    band: confidence?.band ?? null,
    formula: confidence?.formula ?? null,
    cost: spentBefore(after),
    worked_s: iterations.reduce((sum, { duration_s }) => sumOfSeconds(sum, duration_s), 0),
    ...{ started_at, ended_at: updated_at, head: after.head, base: run.base },
    ...(flaky.length > 0 && { flaky: flaky.map(({ name }) => name) }),
  };
}

function kindOf({ standing }: State, event: Event): Outcome['outcome'] {
  if (event.type === 'closed') return event.merged ? 'merged' : 'closed';
  if (standing.phase === 'rejected') return 'rejected';
  return standing.phase === 'cancelled' && standing.by === null ? 'no_changes' : 'cancelled';
}

/** An approval counts only if the final check has confirmed it, for the base that it was merged into. */
function approvedBy({ standing }: State, after: State): Outcome['approved_by'] {
  if (standing.phase !== 'approved' || standing.finish !== 'finished') return null;
  if (standing.ground !== undefined) return isKept(after) ? 'policy' : null;
  return after.approvals.length > 0 ? 'people' : null;
}

function isKept({ standing }: State): boolean {
  return standing.phase === 'done' && standing.ground !== undefined;
}
