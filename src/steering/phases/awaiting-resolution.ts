import { judgeAgain } from '../attempts/checked-again.ts';
import { baseChanged, noteMovedBase, verifyForBase } from '../branch/changed-base.ts';
import { extendRun, undoRun, updateRun } from '../branch/undo-and-update.ts';
import { approve } from '../handlers/approving.ts';
import { cancelRun, rejectRun, steerNow, verifyAgain } from '../handlers/command-handlers.ts';
import { timerDue } from '../handlers/deadlines.ts';
import {
  ended,
  noAttempt,
  noteHead,
  pauseWithoutBranch,
  stopForOurFault,
  verifyPush,
} from '../handlers/event-handlers.ts';
import { pause } from '../handlers/pausing.ts';
import { abandonTask, raiseAndGoOn, retryTask, spawnTasks, tellingIssue } from '../handlers/resolutions.ts';
import { deadlineAfter, endedBy, spawningIn, waitingAnew } from '../iterations/interactions.ts';
import { resolutionAsked } from '../iterations/requests-for-programs.ts';
import {
  type AskingRow,
  closingPull,
  ignored,
  next,
  nothing,
  type Step,
  withEffect,
} from '../iterations/step.ts';
import { because, shortSha } from '../phrases/phrases.ts';
import type { Person } from '../shapes/people.ts';
import type { EventOf } from '../state/event.ts';
import type { In } from '../state/state.ts';

declare module '../shapes/standing.ts' {
  interface Standings {
    awaiting_resolution: AwaitingResolution;
  }
}

/** The run cannot make progress on its own: a human decides how to continue. */
export const awaitingResolution: AskingRow<'awaiting_resolution'> = {
  kind: 'asks',
  request: resolutionAsked,
  asked: ({ head_sha }) =>
    `The run stopped at ${shortSha(head_sha)} because no attempt succeeded. How should it continue?`,
  commands: {
    retry: retryTask,
    spawn: spawnTasks,
    abandon: abandonTask,
    steer: steerNow,
    approve,
    reject: rejectRun,
    cancel: cancelRun,
    budget: raiseAndGoOn,
    verify: verifyAgain,
    undo: undoRun,
    update: updateRun,
    pause,
    extend: extendRun,
  },
  events: {
    ...noAttempt,
    spawned: replaced,
    checks_reported: unlessSpawning(judgeAgain),
    base_moved: unlessSpawning(noteMovedBase),
    pushed: unlessSpawning(verifyPush, noteHead),
    retargeted: unlessSpawning(verifyForBase('verify_head'), baseChanged),
    branch_deleted: unlessSpawning(pauseWithoutBranch('attempt')),
    closed: (state, event) => {
      const spawning = spawningIn(state);
      if (spawning === undefined) return ended(state, event);
      // It ends anyhow; if it does not, the sweep finds that the pull request is closed.
      return event.merged ? overtaken(state, event, spawning.by) : nothing;
    },
    timer_due: unlessSpawning(timerDue),
    run_failed: unlessSpawning(stopForOurFault('verify_head')),
    comment_changed: ignored,
  },
};

type Standing = In<'awaiting_resolution'>;

/** Nothing else is begun while the runs are made that take the place of this one. */
function unlessSpawning<E>(
  handle: (state: Standing, event: E) => Step,
  meanwhile: (state: Standing, event: E) => Step = ignored,
): (state: Standing, event: E) => Step {
  return (state, event) => (spawningIn(state) === undefined ? handle : meanwhile)(state, event);
}

/** Somebody has merged the work meanwhile: nothing more is started, which whoever asked for it is told. */
function overtaken(
  state: In<'awaiting_resolution'>,
  event: EventOf<'closed'>,
  { login: to }: Pick<Person, 'login'>,
): Step {
  const words = { say: 'spawn_overtaken', by: event.by } as const;
  return withEffect(ended(state, event), { id: `${event.id}:reply`, do: 'reply', words, to });
}

/**
 * The runs that take the place of this one are there, and it ends. If one of them cannot be made, it stays as
 * it was, and knows those that are there.
 */
function replaced(state: In<'awaiting_resolution'>, event: EventOf<'spawned'>): Step {
  const { spawning, ...waiting } = state.standing;
  const { cause, made, refused } = event;
  if (spawning?.cause !== cause) return nothing;
  const { login: by } = spawning.by;
  const before = state.replaced_by?.made ?? [];
  const isNews = ({ number }: { readonly number: number }) => before.every((each) => each.number !== number);
  const all = [...before, ...made.filter(isNews)];
  const replaced_by = { cause, made: all };
  if (refused !== undefined) {
    const { name, why: problem } = refused;
    const standing = waitingAnew(waiting, deadlineAfter(state, event.at));
    const subject = `Not replaced: ${name} cannot be started${because(problem)}`;
    const step = next(state, { standing, replaced_by }, subject);
    const words = { say: 'spawn_failed', made: all, name, problem } as const;
    return withEffect(step, { id: `${event.id}:reply`, do: 'reply', words, to: by });
  }
  const numbers = all.map(({ number }) => `#${number}`).join(', ');
  const standing = { phase: 'abandoned', by, reason: `replaced by ${numbers}`, replaced_by } as const;
  const ended = endedBy(state, event, { by, how: `replaced by ${numbers}` });
  const changed = { ...ended, standing, replaced_by };
  return tellingIssue(closingPull(next(state, changed, `Replaced by ${numbers}, for ${by}`), event), event);
}
