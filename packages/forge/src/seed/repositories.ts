import { randomBytes } from 'node:crypto';
import { type Context, gitOf, timestamp } from '../context.ts';
import { commitFiles, copyHistory, createGitRepository } from '../git/create.ts';
import { zeroSha } from '../git/plumbing.ts';
import type { Repository } from '../model.ts';
import { recordActivity } from '../operations/activity.ts';
import { accountCalled, repositoryCalled } from './lookup.ts';
import type { NewRepository, Seed } from './seed.ts';

/** Repositories with their first files. */
export function seedRepositories(context: Context): Pick<Seed, 'addRepository' | 'commit' | 'addDeployKey'> {
  return {
    async addRepository(wanted) {
      const repository = newRepository(context, wanted);
      await createGitRepository(context, repository);
      if ('history' in wanted) await copy(context, repository, wanted.history);
      else await commit(context, repository, { files: wanted.files, message: 'Initial commit' });
      context.store.data.repositories.push(repository);
      return repository;
    },
    commit: (name, files, message = 'Update') =>
      commit(context, repositoryCalled(context, name), { files, message }),
    addDeployKey(name, login, { title, read_only }) {
      const key = `ssh-ed25519 ${randomBytes(32).toString('base64')}`;
      const id = context.store.id();
      const added_by_id = accountCalled(context, login).id;
      const created_at = timestamp(context);
      repositoryCalled(context, name).deploy_keys.push({
        id,
        title,
        key,
        read_only,
        added_by_id,
        created_at,
      });
    },
  };
}

async function copy(context: Context, repository: Repository, folder: string): Promise<void> {
  const after = await copyHistory(context, repository, folder);
  const ref = `refs/heads/${repository.default_branch}`;
  await recordActivity(context, repository, { ref, before: zeroSha, after, sender_id: repository.owner_id });
}

/** Commits to the default branch as the repository's owner, without a webhook. */
async function commit(
  context: Context,
  repository: Repository,
  wanted: Parameters<typeof commitFiles>[2],
): Promise<string> {
  const ref = `refs/heads/${repository.default_branch}`;
  const before = (await gitOf(context, repository).ref(ref)) ?? zeroSha;
  const after = await commitFiles(context, repository, wanted);
  await recordActivity(context, repository, { ref, before, after, sender_id: repository.owner_id });
  return after;
}

function newRepository(context: Context, wanted: NewRepository): Repository {
  const now = timestamp(context);
  return {
    id: context.store.id(),
    owner_id: accountCalled(context, wanted.owner).id,
    name: wanted.name,
    private: wanted.private ?? false,
    description: wanted.description ?? null,
    default_branch: wanted.default_branch ?? 'main',
    collaborators: {},
    rulesets: [],
    protections: [],
    deploy_keys: [],
    settings: {
      drafts_supported: true,
      actions_may_create_pull_requests: false,
      allow_auto_merge: true,
      allow_merge_commit: true,
      allow_squash_merge: true,
      allow_rebase_merge: true,
      delete_branch_on_merge: false,
    },
    labels: [],
    next_number: 1,
    created_at: now,
    updated_at: now,
    pushed_at: now,
  };
}
