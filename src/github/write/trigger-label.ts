import type { Octokit } from '../octokit/connect.ts';
import { unless } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from '../read/repository.ts';

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
