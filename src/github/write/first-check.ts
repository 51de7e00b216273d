import { plainCheck } from '../../config/check-names.ts';
import type { Octokit } from '../octokit/connect.ts';
import { unless } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from '../read/repository-ref.ts';

/**
 * GitHub offers an App as the source of a required check only where the App has reported one lately, so a
 * first one is drawn on the newest commit of the default branch. It is cancelled, which satisfies no rule:
 * nothing was checked, and the commit may become the head of a pull request. An empty repository gets none.
 */
export async function drawFirstCheck(octokit: Octokit, where: RepositoryRef): Promise<void> {
  const head_sha = await newestCommit(octokit, where);
  if (head_sha === undefined) return;
  await octokit.rest.checks.create({
    ...repoParams(where),
    name: plainCheck,
    head_sha,
    external_id: 'installation',
    status: 'completed',
    conclusion: 'cancelled',
    output: {
      title: 'Coxswain is installed',
      summary:
        'Nothing was checked here. This check run lets GitHub offer this App as the source of the check in branch rules.',
    },
  });
}

/** By default GitHub lists the commits of the default branch, the newest first. */
async function newestCommit(octokit: Octokit, where: RepositoryRef): Promise<string | undefined> {
  // 409: the repository is empty.
  const found = await unless(octokit.rest.repos.listCommits({ ...repoParams(where), per_page: 1 }), 409);
  return found?.data[0]?.sha;
}

/** Creates the label that starts a run, unless it exists. */
export async function ensureTriggerLabel(
  octokit: Octokit,
  where: RepositoryRef,
  name: string,
): Promise<void> {
  const label = { name, color: '0b5fff', description: 'A coding agent is working on this' };
  // 422: it already exists.
  await unless(octokit.rest.issues.createLabel({ ...repoParams(where), ...label }), 422);
}
