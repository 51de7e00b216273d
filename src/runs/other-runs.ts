import { dependenciesOf } from './dependencies/dependencies.ts';
import { lookAgain, wakeDependents } from './dependencies/waking.ts';
import { messageOf } from './faults.ts';
import type { LiveRuns } from './live-runs.ts';
import type { OtherRuns } from './run.ts';
import { closeIssueIfLast } from './spawning/close-issue.ts';
import { spawnRuns } from './spawning/spawning.ts';

/** What runs have done to each other, through those that this process knows. */
export function otherRuns(liveRuns: LiveRuns): OtherRuns {
  return {
    spawn: (run, state) => spawnRuns(run, state, liveRuns),
    closeIssue: (run, state) => closeIssueIfLast(run, state, liveRuns),
    dependenciesOf: ({ repository }, task) => dependenciesOf({ repository, liveRuns }, task),
    wake: (run, state) => wakeDependents(run, state, liveRuns),
    lookAgain: (run) =>
      lookAgain(run, liveRuns).catch((fault: unknown) =>
        liveRuns.services.log.warn(
          `could not look what ${run.name} waits for; the sweep will try again: ${messageOf(fault)}`,
        ),
      ),
  };
}
