import type { EventOf } from './event.ts';
import { openIteration } from './iterations.ts';
import type { LedgerLoss } from './standing.ts';
import type { State, SteeringIteration } from './state.ts';
import { type Next, replying } from './step.ts';

type Restored = EventOf<'restored'>;

/**
 * A lost ledger begun anew: paused, with the history that the pull request remembers and nothing that
 * anybody approved. /resume verifies the head before it is put on show again.
 */
export function restore(event: Restored): Next {
  const { lost, by } = event;
  const step: Next = {
    state: restoredState(event),
    subject: `Restore the run from its pull request, asked by ${by.login}: the ledger ${lossText[lost]}`,
  };
  return replying(step, event, { say: 'restored', lost });
}

const lossText: { readonly [L in LedgerLoss]: string } = {
  vanished: 'had vanished',
  unreadable: 'could not be read',
  put_back: 'had been put back to an older one',
};

function restoredState(event: Restored): State {
  const { run, task, settings, past, by, at, lost, opened_at } = event;
  return {
    version: 1,
    seq: past.seq,
    run,
    task,
    settings,
    // Nobody knows any more who asked for the run; whoever brings it back answers for it.
    requested_by: by,
    started_at: opened_at,
    updated_at: at,
    head: run.head,
    head_at: at,
    iteration: past.iteration,
    max_iterations: Math.max(settings.steering.max_iterations, past.iteration),
    attempt: past.attempt,
    attempts_used: 0,
    times_lost: 0,
    standing: { phase: 'paused', why: 'ledger_restored', resumes_with: 'verify_head' },
    queue: [],
    iterations: iterationsOf(event),
    attempts: [],
    shown: null,
    approvals: [],
    report: null,
    interactions: past.asked === null ? [] : [past.asked],
    owed: [],
    restored: { at, by: by.login, lost },
  };
}

/** Every iteration up to the last, those that nobody remembers without their words. */
function iterationsOf({ past, run, at }: Restored): readonly SteeringIteration[] {
  return Array.from({ length: past.iteration + 1 }, (_, number) => {
    const known = past.iterations.find(({ iteration_number }) => iteration_number === number);
    const forgotten = openIteration(number, at, { head: run.head, steers: [] });
    return { ...(known ?? forgotten), landed: true };
  });
}
