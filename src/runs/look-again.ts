import type { GitHubEventOf } from '../github/events/github-event.ts';
import type { Note } from '../github/listen/heard.ts';
import { openPullsAt } from '../github/read/pulls.ts';
import { hasOtherBlock } from '../github/show/block.ts';
import { isWaitingToMerge } from '../steering/approval/finish-reasons.ts';
import { repaired } from '../steering/process-state.ts';
import type { State } from '../steering/state/state.ts';
import { noteTurned } from './dependencies/waking.ts';
import { letPass } from './queue/other-pulls.ts';
import { pauseIfLost } from './restore/answer-loss.ts';
import { orTell } from './run/background-work.ts';
import { reportChecks } from './run/ci-checks.ts';
import type { RepositoryRuns } from './run/live-runs.ts';
import type { FinishPart, Run } from './run/run.ts';

/**
 * Looks again where something may have changed: notes carry no news of a run, and the sweep does what is
 * missed.
 */
export async function lookAgain(note: Note, runs: RepositoryRuns): Promise<void> {
  switch (note.kind) {
    case 'body_edited': {
      const { before, after, sender: by } = note;
      return repair(runs.of(note.pull.number), (run, state) => repairBody(run, state, { before, after, by }));
    }
    case 'relabeled':
      // GitHub reports each label that we change ourselves, too.
      if (note.sender.login === runs.repository.own.login) return;
      return repair(runs.of(note.pull.number), async (run, state) => {
        if (mayRepair(run, 'a label')) await run.drawing.present(state);
      });
    case 'check_ended':
      return readChecks(note, runs);
    case 'checks_passed':
      return mergeIfWaiting(note.numbers, runs);
    case 'merge_group': {
      // Most repositories have no merge queue.
      const { endGroup, settleGroup } = await import('./queue/settle-group.ts');
      const group = { base: note.base, head: note.head_sha };
      if (note.action === 'checks_requested') return settleGroup(group, runs);
      return endGroup(group, note, runs);
    }
    case 'dependency_turned':
      return noteTurned(note.what, runs);
    case 'pull_changed': {
      const { pull, opener, commits } = note;
      const other = { ...pull, opener, commits, default_branch: note.repository.default_branch };
      return letPass(other, runs);
    }
  }
}

/** Puts right what somebody changed on the pull request, unless the ledger of the run is lost. */
async function repair(run: Run, repairing: (run: Run, state: State) => Promise<void>): Promise<void> {
  try {
    const state = (await run.readLedger())?.state;
    if (state !== undefined) await repairing(run, state);
  } catch (fault) {
    await pauseIfLost(fault, run);
  }
}

/** An edit of a pull request's body. */
interface BodyEdit {
  readonly by: { readonly login: string };
  readonly before: string;
  readonly after: string;
}

/** Restores a human's text that our edit overwrote, or our own text that they removed. */
async function repairBody(run: Run, state: State, edit: BodyEdit): Promise<void> {
  if (edit.by.login === run.repository.own.login) await run.drawing.restore(edit, state);
  else if (!hasOtherBlock(edit)) await run.drawing.present(state);
  else if (mayRepair(run, 'the block')) await run.drawing.redraw(state);
}

/** Whether what others changed may be put right at once, which is logged where it first may not. */
function mayRepair(run: Run, what: string): boolean {
  const { isPutOff } = run.process;
  run.process = repaired(run.process, run.services.clock.now());
  if (run.process.isPutOff && !isPutOff)
    run.services.log.warn(`someone keeps changing ${what} of ${run.name}; the next sweep puts it right`);
  return !run.process.isPutOff;
}

/**
 * Tries again to merge approved runs for which GitHub has not allowed it yet. Most deliveries concern no such
 * run, so only those that are open here are looked at; the sweep does what fails or is missed.
 */
export async function mergeIfWaiting(numbers: readonly number[], runs: RepositoryRuns): Promise<void> {
  for (const number of numbers) {
    const run = runs.ifOpen(number);
    if (run?.newest === undefined) continue;
    const merging = async () => {
      const state = await run.state();
      if (state === undefined || !isWaitingToMerge(state)) return;
      finishSoon(run);
    };
    await orTell(run.services.log, `look whether ${run.name} can be merged`, merging);
  }
}

/** Checks an approved run in the background, and merges what may be merged by now. */
export function finishSoon(run: Run, part?: FinishPart): void {
  const doing = `check or merge ${run.name}; the sweep will try again`;
  void orTell(run.services.log, doing, () => run.finishAgain(part));
}

/**
 * A check has ended that a run may wait for, or was judged by. Webhooks come late and in any order, so GitHub
 * is asked what holds now; it names no pull requests for a commit that had none when it was pushed.
 */
async function readChecks(ended: GitHubEventOf<'check_ended'>, runs: RepositoryRuns): Promise<void> {
  const { repository } = runs;
  const named = ended.numbers;
  const numbers =
    named.length > 0 ? named : await openPullsAt(repository.octokit, repository, ended.head_sha);
  for (const number of numbers) {
    const run = runs.of(number);
    const reading = async () => {
      if (await isNamed(run, ended)) await reportChecks(run);
    };
    await orTell(run.services.log, `read the checks of ${run.name}; the sweep will try again`, reading);
  }
}

/**
 * Whether the run's configuration names the check and the commit is its head. This process may not know yet
 * of a head that another one has pushed.
 */
async function isNamed(run: Run, ended: GitHubEventOf<'check_ended'>): Promise<boolean> {
  const known = await run.state();
  const { checks = [] } = known?.settings ?? {};
  if (!checks.some((spec) => spec.check === ended.check_name && spec.app === ended.app)) return false;
  if (known?.head === ended.head_sha || run.services.others?.present) return known?.head === ended.head_sha;
  return (await run.readLedger())?.state.head === ended.head_sha;
}
