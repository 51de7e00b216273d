import type { Event, EventOf } from '../event.ts';
import { openIteration } from '../iterations.ts';
import { isSame } from '../person.ts';
import type { State } from '../state.ts';
import { withContributors } from '../steers/contributing.ts';
import { type Next, withReaction } from '../step.ts';
import { restore } from './restoring.ts';

/** Handles the first event of a run or of a restored ledger; without a run, any other event is ignored. */
export function begin(event: Event): 'nothing' | Next {
  if (event.type === 'restored') return restore(event);
  if (event.type !== 'run_started') return 'nothing';
  const { id, source } = event;
  const step: Next = { state: firstState(event), subject: `Start: ${event.task.title}` };
  return source === null ? step : withReaction(step, { id, source }, 'rocket');
}

function firstState(event: EventOf<'run_started'>): State {
  const { run, task, settings, overrides, by, at, contributors = [], people_unknown, earlier = [] } = event;
  // The agent is told what they said; for whoever asked for the run there is a rule of its own.
  const heard = earlier.map((each) => each.by).filter((each) => !isSame(each, by));
  return {
    version: 2,
    seq: 0,
    run,
    task,
    settings,
    ...(overrides === undefined ? {} : { overrides }),
    requested_by: by,
    started_at: at,
    updated_at: at,
    head: run.head,
    head_at: at,
    iteration: 0,
    max_iterations: settings.steering.max_iterations,
    attempt: 0,
    attempts_used: 0,
    times_lost: 0,
    standing: { phase: 'queued', work: 'attempt' },
    queue: [],
    iterations: [openIteration(0, at, { head: run.head, steers: [] })],
    attempts: [],
    shown: null,
    approvals: [],
    report: null,
    interactions: [],
    owed: [],
    ...(earlier.length > 0 && { earlier }),
    ...withContributors({}, [...contributors, ...heard]),
    ...(people_unknown === undefined ? {} : { people_unknown }),
  };
}
