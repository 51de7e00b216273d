import { areReady, beginsOrWaits } from './branch/task-dependencies.ts';
import { withContributors } from './iterations/authorship.ts';
import { openIteration } from './iterations/iteration.ts';
import { type Next, withReaction, withReply } from './iterations/step.ts';
import { isSame } from './shapes/people.ts';
import type { LedgerLoss } from './shapes/task.ts';
import type { Event, EventOf } from './state/event.ts';
import type { State } from './state/state.ts';

/** Handles the first event of a run; without a run, any other event is ignored. */
export function begin(event: Event): 'nothing' | Next {
  if (event.type !== 'run_started') return 'nothing';
  const { source, lost } = event;
  const started: Next = { state: firstState(event), subject: `Start: ${event.task.title}` };
  const step = lost === undefined ? started : begunAnew(started, event, lost);
  return source === null ? step : withReaction(step, { source }, 'rocket');
}

/**
 * The ledger was lost: what is on the branch is verified, nothing of what was said before counts, and a
 * comment approves only the commit that it names, because nobody knows what people saw.
 */
function begunAnew({ state }: Next, event: Started, { how, seq }: NonNullable<Started['lost']>): Next {
  const anew: State = {
    ...state,
    seq,
    standing: { phase: 'queued', work: 'verify_head' },
    iterations: state.iterations.map((iteration) => ({ ...iteration, landed: true })),
    pushed_while_shown: true,
    restored: { at: event.at, by: event.by.login, lost: how },
  };
  const subject = `Start over for ${event.by.login}, because the ledger ${lossText[how]}: ${event.task.title}`;
  return withReply({ state: anew, subject }, event, { say: 'restored', lost: how });
}

const lossText: { readonly [L in LedgerLoss]: string } = {
  vanished: 'was missing',
  unreadable: 'could not be read',
  put_back: 'had been reset to an older commit',
  unsealed: 'was not sealed',
};

type Started = EventOf<'run_started'>;

function firstState(event: Started): State {
  const { run, task, settings, overrides, by, at, contributors = [], people_unknown, earlier = [] } = event;
  const { on = [], behind, replaces, replaced_by, inherited = [], others_pushed, skips_ci, signs } = event;
  // The agent is told what they said; for whoever asked for the run there is a rule of its own.
  const heard = earlier.map((each) => each.by).filter((each) => !isSame(each, by));
  return {
    version: 3,
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
    standing: beginsOrWaits(on, behind),
    queue: [],
    iterations: [openIteration(0, at, { head: run.head, steers: [] })],
    attempts: [],
    shown: null,
    approvals: [],
    report: null,
    interactions: inherited,
    ...(replaces !== undefined && { replaces }),
    ...(replaced_by !== undefined && { replaced_by }),
    ...(on.length > 0 && areReady(on) && { merges_base: true as const }),
    owed: [],
    ...(earlier.length > 0 && { earlier }),
    ...withContributors({}, [...contributors, ...heard]),
    ...(people_unknown === undefined ? {} : { people_unknown }),
    ...(others_pushed === undefined ? {} : { others_pushed }),
    ...(skips_ci && { ci_skipped: run.head }),
    ...(signs && { signs }),
  };
}
