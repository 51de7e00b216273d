import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';

/** Creates the label that starts a run, unless it exists. */
export async function ensureTriggerLabel(
  octokit: Octokit,
  { owner, name: repo }: { owner: string; name: string },
  name: string,
): Promise<void> {
  const label = {
    name,
    color: '0b5fff',
    description: 'A coding agent is working on this',
  };
  try {
    await octokit.rest.issues.createLabel({ owner, repo, ...label });
  } catch (fault) {
    if (!(fault instanceof GitHubFault) || fault.status !== 422) throw fault; // 422: it already exists
  }
}
