import type { GitHubEventOf } from '../github/events/github-event.ts';
import type { Note } from '../github/listen/heard.ts';
import { openPullsAt } from '../github/read/pulls.ts';
import { messageOf } from '../repository/faults.ts';
import type { Repository } from '../repository/repository.ts';
import type { State } from '../steering/state/state.ts';
import { noteTurned } from './dependencies/waking.ts';
import { isWaitingToMerge } from './finish/merge-run.ts';
import type { LiveRuns } from './live/live-runs.ts';
import { letPass } from './queue/other-pulls.ts';
import { pauseIfLost } from './restore/answer-loss.ts';
import type { Run } from './run/run.ts';

interface Place {
  readonly repository: Repository;
  readonly liveRuns: LiveRuns;
}

/**
 * Looks again where something may have changed: notes carry no news of a run, and the sweep does what is
 * missed.
 */
export async function lookAgain(note: Note, place: Place): Promise<void> {
  const { repository, liveRuns } = place;
  switch (note.kind) {
    case 'body_edited': {
      const { before, after, sender: by } = note;
      return repair(note.pull.number, place, (run) => run.repairBody({ before, after, by }));
    }
    case 'relabeled':
      // GitHub reports each label that we change ourselves, too.
      if (note.sender.login === repository.own.login) return;
      return repair(note.pull.number, place, (run) => run.repairLabels());
    case 'check_ended':
      return readChecks(note, place);
    case 'checks_passed':
      return mergeIfWaiting(note.numbers, place);
    case 'merge_group': {
      // Most repositories have no merge queue.
      const { endGroup, settleGroup } = await import('./queue/settle-group.ts');
      const group = { base: note.base, head: note.head_sha };
      if (note.action === 'checks_requested') return settleGroup(group, place);
      return endGroup(group, note, place);
    }
    case 'dependency_turned':
      return noteTurned(note.what, place);
    case 'pull_changed': {
      const { pull, opener, commits } = note;
      const other = { ...pull, opener, commits, default_branch: note.repository.default_branch };
      return letPass(other, { repository, services: liveRuns.services });
    }
  }
}

/** Puts right what somebody changed on the pull request, unless the ledger of the run is lost. */
function repair(
  number: number,
  { repository, liveRuns }: Place,
  repairing: (run: Run) => Promise<void>,
): Promise<void> {
  const run = liveRuns.of(repository, number);
  return repairing(run).catch((fault: unknown) => pauseIfLost(fault, { run, services: liveRuns.services }));
}

/**
 * Tries again to merge approved runs for which GitHub has not allowed it yet. Most deliveries concern no such
 * run, so only those that are open here are looked at; the sweep does what fails or is missed.
 */
export async function mergeIfWaiting(
  numbers: readonly number[],
  { repository, liveRuns }: Place,
): Promise<void> {
  const { log } = liveRuns.services;
  for (const number of numbers) {
    const run = liveRuns.ifOpen(repository, number);
    if (run?.newest === undefined) continue;
    const merging = async () => {
      const state = await run.state();
      if (state === undefined || !isWaitingToMerge(state)) return;
      // The sweep does again what fails.
      run
        .finishAgain()
        .catch((fault: unknown) =>
          log.warn(`could not check or merge ${run.name}; the sweep will try again: ${messageOf(fault)}`),
        );
    };
    await merging().catch((fault: unknown) =>
      log.warn(`could not look whether ${run.name} can be merged: ${messageOf(fault)}`),
    );
  }
}

/**
 * A check has ended that a run may wait for, or was judged by. Webhooks come late and in any order, so GitHub
 * is asked what holds now; it names no pull requests for a commit that had none when it was pushed.
 */
async function readChecks(
  ended: GitHubEventOf<'check_ended'>,
  { repository, liveRuns }: Place,
): Promise<void> {
  const { others, log } = liveRuns.services;
  const named = ended.numbers;
  const numbers =
    named.length > 0 ? named : await openPullsAt(repository.octokit, repository, ended.head_sha);
  for (const number of numbers) {
    const run = liveRuns.of(repository, number);
    const reading = async () => {
      if (await isNamed(run, ended, others?.present === true)) await run.readChecks();
    };
    await reading().catch((fault: unknown) =>
      log.warn(`could not read the checks of ${run.name}; the sweep will try again: ${messageOf(fault)}`),
    );
  }
}

/**
 * Whether the run's configuration names the check and the commit is its head. What this process knows of the
 * run may be outdated: another one may have pushed the commit.
 */
async function isNamed(run: Run, ended: GitHubEventOf<'check_ended'>, hasOthers: boolean): Promise<boolean> {
  if (run.newest !== undefined && !hasOthers) {
    if (!names(run.newest, ended)) return false;
    if (run.newest.head === ended.head_sha) return true;
  }
  const known = await run.readLedger();
  return known !== undefined && names(known.state, ended) && known.state.head === ended.head_sha;
}

function names(
  { settings: { checks = [] } }: State,
  { check_name, app }: GitHubEventOf<'check_ended'>,
): boolean {
  return checks.some((spec) => spec.check === check_name && spec.app === app);
}
