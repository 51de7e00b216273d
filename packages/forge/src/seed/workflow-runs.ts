import { type Context, gitOf, timestamp } from '../context.ts';
import type { Repository } from '../model.ts';
import type { Seed } from './seed.ts';

/** Sets what is known of a run of a workflow; one that is new is for the head of the default branch. */
export async function setWorkflowRun(
  context: Context,
  repository: Repository,
  wanted: Parameters<Seed['setWorkflowRun']>[1],
): Promise<void> {
  const { workflow_runs: runs } = context.store.data;
  const now = timestamp(context);
  const known = runs.find(({ id, repository_id }) => id === wanted.id && repository_id === repository.id);
  if (known) {
    Object.assign(known, wanted, { updated_at: now });
    return;
  }
  const head_sha = await gitOf(context, repository).ref(`refs/heads/${repository.default_branch}`);
  if (head_sha === undefined) throw new Error(`the repository ${repository.name} has no commit`);
  const usual = { run_attempt: 1, conclusion: null, event: 'workflow_dispatch', path };
  const at = { repository_id: repository.id, head_sha, created_at: now, updated_at: now };
  runs.push({ ...usual, ...at, ...wanted });
}

const path = '.github/workflows/workflow.yml';
