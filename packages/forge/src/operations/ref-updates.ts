import { type Context, gitOf } from '../context.ts';
import { zeroSha } from '../git/plumbing.ts';
import type { RefChange } from '../git/refs.ts';
import type { Repository } from '../model.ts';
import { HttpError } from '../responses.ts';
import { objectRules, pushViolations, violationMessage } from '../rules/pushes.ts';
import { mergeReadyPulls } from './merging.ts';
import { refsChanged } from './pushes.ts';

export type RefUpdate = RefChange & { sender_id: number };

/** Changes a ref through the API as a push would: rules apply, and webhooks and the activity tell of it. */
export async function updateRef(context: Context, repository: Repository, update: RefUpdate): Promise<void> {
  await requireAllowed(context, repository, update);
  const { ref, before, after, sender_id } = update;
  const line = after === zeroSha ? ['update-ref', '-d', ref, before] : ['update-ref', ref, after, before];
  const result = await gitOf(context, repository).attempt(line);
  if (result.code !== 0) throw new HttpError(422, `Reference cannot be updated: ${result.stderr.trim()}`);
  const changes = [{ ref, before, after }];
  await refsChanged(context, repository, { changes, sender_id });
  await mergeReadyPulls(context, repository, changes);
}

async function requireAllowed(context: Context, repository: Repository, update: RefUpdate): Promise<void> {
  const broken = pushViolations(context, repository, update);
  const { no_force, linear } = objectRules(context, repository, update);
  const { before, after } = update;
  const git = gitOf(context, repository);
  if (no_force && before !== zeroSha && after !== zeroSha && !(await git.isAncestor(before, after))) {
    broken.push(no_force);
  }
  if (linear && after !== zeroSha) {
    const merges = await git.run(['rev-list', '--merges', '--max-count=1', after, '--not', '--all']);
    if (merges !== '') broken.push(linear);
  }
  if (broken.length > 0) throw new HttpError(422, violationMessage(broken));
}
