import { unlistedCheck } from '../config/check-names.ts';
import { branchPrefix } from '../github/names.ts';
import { isGuarded, readBranchRules } from '../github/read/branch-rules.ts';
import { type PullFacts, readPull } from '../github/read/pulls.ts';
import type { State } from '../steering/state/state.ts';
import type { AttemptedRun } from './engine.ts';

/**
 * Why our commits must not be pushed now, undefined if they may. The ledger alone does not decide where they
 * go, because anyone with write access can force it, and the App may be allowed to push where they are not:
 * it is the head of the pull request as GitHub names it at this moment.
 */
export async function objectionToPush(run: AttemptedRun, state: State): Promise<string | undefined> {
  const { branch } = state.run;
  const pull = await readPull(run.repository.octokit, run.repository, run.number);
  if (pull.from_fork)
    return 'the branch of the pull request is not in this repository, so it is not pushed to';
  if (pull.head_ref !== branch)
    return `the branch of the pull request is ${pull.head_ref}, so ${branch} is not pushed to`;
  // Nobody protects the branches that we create, except against others.
  const isOurs = !state.run.adopted && branch.startsWith(branchPrefix);
  return objectionToBranch(run, { ...pull, isOurs });
}

interface WorkedOnBranch extends Pick<PullFacts, 'head_ref' | 'default_branch'> {
  /** We created it for the run. Its name alone does not say so. */
  readonly isOurs: boolean;
}

/** Why a run must not work on the branch of this pull request; undefined if it may. */
export async function objectionToBranch(
  run: Pick<AttemptedRun, 'repository' | 'readSettings'>,
  { head_ref: branch, default_branch, isOurs }: WorkedOnBranch,
): Promise<string | undefined> {
  if (branch === default_branch) return `${branch} is the default branch, which agents do not work on`;
  if (isOurs) return undefined;
  const reading = await run.readSettings({ base: branch, default_branch });
  if (reading.outcome === 'misconfigured') return 'the configuration cannot be used';
  if (reading.settings.check !== unlistedCheck(branch))
    return `${branch} is one of the branches that the configuration lists under bases, which agents do not work on`;
  const rules = await readBranchRules(run.repository.octokit, run.repository, branch);
  return isGuarded(rules) ? `${branch} is protected, so agents do not work on it` : undefined;
}
