import { type Context, gitOf } from '../context.ts';
import type { Git } from '../git/plumbing.ts';
import type { Json, PullIssue, Repository } from '../model.ts';
import { type ChangeStats, type Mergeability, pullPayload } from '../payloads/pulls.ts';
import { mergeState } from '../rules/merging.ts';

/** A single pull request, with the facts that need Git. */
export async function pullDetails(context: Context, issue: PullIssue): Promise<Json> {
  const [stats, merge] = await Promise.all([changeStats(context, issue), mergeability(context, issue)]);
  return pullPayload(context, issue, { stats, merge });
}

/** The results depend only on two commits, so they are computed once per pair. */
const statsCache = new WeakMap<Repository, Map<string, Promise<ChangeStats>>>();
const mergeableCache = new WeakMap<Repository, Map<string, Promise<boolean>>>();

function changeStats(context: Context, issue: PullIssue): Promise<ChangeStats> {
  const repository = context.store.repository(issue.repository_id);
  const key = `${issue.pull.base_sha} ${issue.pull.head_sha}`;
  return cached(cacheOf(statsCache, repository), key, () => countChanges(gitOf(context, repository), issue));
}

/** Whether the head can be merged into the base branch now; as on GitHub, unknown once it is closed. */
export async function mergeability(context: Context, issue: PullIssue): Promise<Mergeability> {
  if (issue.state === 'closed') return { mergeable: null, state: 'unknown' };
  const repository = context.store.repository(issue.repository_id);
  const git = gitOf(context, repository);
  const base = await git.ref(`refs/heads/${issue.pull.base_ref}`);
  if (!base) return { mergeable: null, state: 'unknown' };
  const key = `${base} ${issue.pull.head_sha}`;
  const mergeable = await cached(cacheOf(mergeableCache, repository), key, async () => {
    const result = await git.attempt(['merge-tree', '--write-tree', base, issue.pull.head_sha]);
    return result.code === 0;
  });
  if (!mergeable) return { mergeable, state: 'dirty' };
  if (issue.pull.draft) return { mergeable, state: 'draft' };
  return { mergeable, state: await mergeState(context, issue) };
}

/** The merge base of head and base, or the base itself if they have no common history. */
export async function forkPoint(context: Context, issue: PullIssue): Promise<string> {
  const git = gitOf(context, context.store.repository(issue.repository_id));
  return (await git.mergeBase(issue.pull.base_sha, issue.pull.head_sha)) ?? issue.pull.base_sha;
}

async function countChanges(git: Git, { pull }: PullIssue): Promise<ChangeStats> {
  const [commits, numbers] = await Promise.all([
    git.countBetween(pull.base_sha, pull.head_sha),
    git.run(['diff', '--numstat', '--find-renames', `${pull.base_sha}...${pull.head_sha}`]),
  ]);
  const lines = numbers.split('\n').filter((line) => line !== '');
  const column = (index: number) =>
    lines.reduce((total, line) => total + (Number(line.split('\t')[index]) || 0), 0);
  return {
    commits,
    additions: column(0),
    deletions: column(1),
    changed_files: lines.length,
  };
}

function cacheOf<Value>(caches: WeakMap<Repository, Map<string, Value>>, repository: Repository) {
  const cache = caches.get(repository) ?? new Map<string, Value>();
  caches.set(repository, cache);
  return cache;
}

function cached<Value>(cache: Map<string, Promise<Value>>, key: string, work: () => Promise<Value>) {
  const value = cache.get(key) ?? work();
  cache.set(key, value);
  value.catch(() => cache.delete(key));
  return value;
}
