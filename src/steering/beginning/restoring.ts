import type { EventOf } from '../event.ts';
import { mostIterations } from '../holding/extending.ts';
import { openIteration } from '../iterations.ts';
import type { State, SteeringIteration } from '../state.ts';
import { withContributors } from '../steers/contributing.ts';
import { type Next, withReply } from '../step.ts';
import type { LedgerLoss } from './restoration.ts';

type Restored = EventOf<'restored'>;

/**
 * Rebuilds a lost ledger: paused, with the history found in the pull request and without approvals.
 * /resume verifies the head before it can be approved again, or has the agent begin if nothing has landed.
 */
export function restore(event: Restored): Next {
  const { lost, by } = event;
  const step: Next = {
    state: restoredState(event),
    subject: `Restore the ledger from the pull request for ${by.login}: it ${lossText[lost]}`,
  };
  return withReply(step, event, { say: 'restored', lost });
}

const lossText: { readonly [L in LedgerLoss]: string } = {
  vanished: 'was missing',
  unreadable: 'could not be read',
  put_back: 'had been reset to an older commit',
  unsealed: 'was not sealed',
};

function restoredState(event: Restored): State {
  const { run, task, settings, past, by, at, lost, opened_at, people } = event;
  const requester = people?.requested_by;
  return {
    version: 2,
    seq: past.seq,
    run,
    task,
    settings,
    // If the original requester is unknown, the person who restores the run takes their place.
    requested_by: requester === undefined ? by : { ...requester, role: 'none', bot: false },
    started_at: opened_at,
    updated_at: at,
    head: run.head,
    head_at: at,
    ...progressOf(event),
    attempt: past.attempt,
    attempts_used: 0,
    times_lost: 0,
    standing: {
      phase: 'paused',
      why: 'ledger_restored',
      resumes_with: past.untouched ? 'attempt' : 'verify_head',
    },
    queue: [],
    iterations: iterationsOf(event),
    attempts: [],
    shown: null,
    approvals: [],
    report: null,
    interactions: past.asked === null ? [] : [past.asked],
    owed: [],
    ...(people === null && { people_unknown: true }),
    restored: { at, by: by.login, lost, ...(people === null && { unproven: true }) },
    ...whoWorked(event),
  };
}

/** Only a proven history may have come further than the settings allow now, or may by what people said. */
function progressOf({ past, settings, people }: Restored): Pick<State, 'iteration' | 'max_iterations'> {
  const { max_iterations: max } = settings.steering;
  if (people === null) return { iteration: Math.min(past.iteration, max), max_iterations: max };
  const extended = Math.min(past.max_iterations ?? max, mostIterations);
  return { iteration: past.iteration, max_iterations: Math.max(max, past.iteration, extended) };
}

/** Those whom a sealed block named, and those whom GitHub names now. */
function whoWorked({ people, contributors }: Restored): Partial<State> {
  const named = [...(people?.contributors ?? []), ...contributors.people];
  const isOurs = contributors.complete && contributors.people.length === 0;
  return { ...withContributors({}, named), ...(isOurs ? {} : { pushed_while_shown: true }) };
}

/** Every iteration up to the last; those that could not be recovered are left empty. */
function iterationsOf(event: Restored): readonly SteeringIteration[] {
  const { past, run, at } = event;
  return Array.from({ length: progressOf(event).iteration + 1 }, (_, number) => {
    const known = past.iterations.find(({ iteration_number }) => iteration_number === number);
    const unknown = { ...openIteration(number, at, { head: run.head, steers: [] }), lost: true as const };
    return { ...(known ?? unknown), landed: true };
  });
}
