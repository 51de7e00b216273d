import { branchPrefix } from '../../github/names.ts';
import { readBranchRules } from '../../github/read/branch-rules.ts';
import type { Repository } from '../../runs/repository.ts';
import { type Finding, ok, problem } from './finding.ts';

/** Rules under which the App cannot push the branch of a run. */
const refusing = [
  'creation',
  'update',
  'pull_request',
  'required_status_checks',
  'merge_queue',
  'required_signatures',
  'required_deployments',
  'branch_name_pattern',
  'commit_message_pattern',
  'commit_author_email_pattern',
  'committer_email_pattern',
];

/** Whether rules stand in the way of the branches that we create. */
export async function examineRunBranches({ octokit, ...where }: Repository): Promise<Finding> {
  const { types } = await readBranchRules(octokit, where, `${branchPrefix}example-0123456789`);
  const found = refusing.filter((type) => types.has(type));
  if (found.length === 0) return ok('run-branches', `no rule stands in the way of ${branchPrefix} branches`);
  const what = `rules about ${found.map((type) => type.replaceAll('_', ' ')).join(', ')} cover ${branchPrefix} branches`;
  return problem('run-branches', what, `Exclude ${branchPrefix}** from them; do not let the App bypass them`);
}
