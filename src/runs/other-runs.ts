import { dependenciesOf } from './dependencies/dependencies.ts';
import { tryToLook, wakeDependents } from './dependencies/waking.ts';
import type { LiveRuns } from './live/live-runs.ts';
import type { OtherRuns } from './run/run.ts';
import { closeIssueIfLast, linksFound } from './spawning/close-issue.ts';
import { spawnRuns } from './spawning/spawn-runs.ts';

/** What runs have done to each other, through those that this process knows. */
export function otherRuns(liveRuns: LiveRuns): OtherRuns {
  return {
    spawn: (run, state) => spawnRuns(run, state, liveRuns),
    closeIssue: (run, state) => closeIssueIfLast(run, state, liveRuns),
    dependenciesOf: ({ repository }, task) => dependenciesOf({ repository, liveRuns }, task),
    linksOf: ({ repository, number }) => linksFound({ repository, liveRuns }, number),
    wake: (run, state) => wakeDependents(run, state, liveRuns),
    lookAgain: (run) => tryToLook(run, liveRuns),
  };
}
