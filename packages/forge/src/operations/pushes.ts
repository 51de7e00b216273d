import { type Context, gitOf, timestamp } from '../context.ts';
import { type CommitRecord, listTouches } from '../git/commits.ts';
import { type RefChange, zeroSha } from '../git/plumbing.ts';
import type { Activity, ActivityType, Json, PullIssue, Repository } from '../model.ts';
import { pushedCommitPayload } from '../payloads/commits.ts';
import { htmlLink } from '../payloads/links.ts';
import { requestChecks } from './checks.ts';
import { recordIssueEvent } from './issue-events.ts';
import { setState } from './issues.ts';
import { markMerged, synchronize } from './pulls.ts';

/** Processes the effects of changed refs, whether by a push or through the API. */
export async function refsChanged(
  context: Context,
  repository: Repository,
  { changes, sender_id, merged }: { changes: RefChange[]; sender_id: number; merged?: boolean },
): Promise<void> {
  repository.pushed_at = timestamp(context);
  for (const change of changes) {
    await recordActivity(context, repository, { ...change, sender_id, merged });
    if (!/^refs\/(heads|tags)\//.test(change.ref)) continue;
    await emitPushEvent(context, repository, { ...change, sender_id });
    if (change.ref.startsWith('refs/heads/'))
      await branchChanged(context, repository, { ...change, sender_id });
  }
}

type Sent = RefChange & { sender_id: number };

async function branchChanged(context: Context, repository: Repository, change: Sent): Promise<void> {
  const branch = change.ref.slice('refs/heads/'.length);
  if (change.after === zeroSha) {
    await branchDeleted(context, repository, { ...change, branch });
    return;
  }
  const open = context.store.pulls(repository).filter((issue) => issue.state === 'open');
  for (const issue of open.filter(({ pull }) => pull.head_ref === branch)) {
    await headChanged(context, issue, change);
  }
  await requestChecks(context, repository, { ...change, branch });
  const onto = open.filter(({ state, pull }) => state === 'open' && pull.base_ref === branch);
  if (onto.length > 0) await markMergedByPush(context, repository, { onto, change });
}

async function headChanged(context: Context, issue: PullIssue, change: Sent): Promise<void> {
  const { before, after, sender_id } = change;
  if (after !== issue.pull.head_sha) await synchronize({ context, sender_id }, issue, { before, after });
}

/** Closes the pull requests from and into a branch that no longer exists. */
async function branchDeleted(
  context: Context,
  repository: Repository,
  { branch, before, sender_id }: { branch: string; before: string; sender_id: number },
): Promise<void> {
  const sender = { context, sender_id };
  const pulls = context.store.pulls(repository);
  const open = pulls.filter(({ state }) => state === 'open');
  for (const issue of open.filter(({ pull }) => pull.base_ref === branch)) {
    recordIssueEvent(sender, issue, { event: 'base_ref_deleted' });
    await setState(sender, issue, 'closed');
  }
  for (const issue of open.filter(({ pull }) => pull.head_ref === branch)) {
    await setState(sender, issue, 'closed');
  }
  // Also for merged and closed ones, if the branch has not moved since.
  for (const issue of pulls.filter(({ pull }) => pull.head_ref === branch && pull.head_sha === before)) {
    recordIssueEvent(sender, issue, { event: 'head_ref_deleted' });
  }
}

/** Marks pull requests as merged if a push put their head into their base, as GitHub does. */
async function markMergedByPush(
  context: Context,
  repository: Repository,
  { onto, change }: { onto: PullIssue[]; change: Sent },
): Promise<void> {
  const git = gitOf(context, repository);
  const merged = await git.run([
    'for-each-ref',
    '--format=%(refname)',
    '--merged',
    change.after,
    'refs/pull/*/head',
  ]);
  const names = new Set(merged.split('\n'));
  for (const issue of onto.filter(({ number }) => names.has(`refs/pull/${number}/head`))) {
    await markMerged({ context, sender_id: change.sender_id }, issue, change.after);
  }
}

async function emitPushEvent(context: Context, repository: Repository, change: Sent): Promise<void> {
  const { ref, before, after, sender_id } = change;
  const created = before === zeroSha;
  const deleted = after === zeroSha;
  const [pushed, forced] = await Promise.all([
    deleted ? { commits: [], head_commit: null } : pushedCommits(context, repository, change),
    !created && !deleted && isForced(context, repository, change),
  ]);
  const sender = context.store.account(sender_id);
  const payload: Json = {
    ref,
    before,
    after,
    created,
    deleted,
    forced,
    base_ref: null,
    compare: htmlLink(context, repository, `/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`),
    ...pushed,
    pusher: { name: sender.login, email: `${sender.id}+${sender.login}@users.noreply.forge.example` },
  };
  context.emit({ name: 'push', repository, sender_id, payload });
}

async function isForced(context: Context, repository: Repository, { before, after }: Sent): Promise<boolean> {
  return !(await gitOf(context, repository).isAncestor(before, after));
}

const mostCommits = 20;

/** The newest commits that the old head (for a new branch: the default branch) lacks, oldest first. */
async function pushedCommits(context: Context, repository: Repository, { ref, before, after }: Sent) {
  const git = gitOf(context, repository);
  const trunk = `refs/heads/${repository.default_branch}`;
  const known = before !== zeroSha ? [`^${before}`] : ref === trunk ? [] : [`^${trunk}`];
  const touched = ref.startsWith('refs/tags/') ? [] : await listTouches(git, [after, ...known], mostCommits);
  const head = touched[0] ?? (await listTouches(git, [after], 1))[0];
  const shown = (commit: CommitRecord) => pushedCommitPayload(context, repository, commit);
  return { commits: touched.toReversed().map(shown), head_commit: head ? shown(head) : null };
}

export interface BranchChange extends RefChange {
  sender_id: number;
  /** Whether the merge of a pull request moved the branch. */
  merged?: boolean | undefined;
}

/** Adds an entry to the repository's activity, which GitHub keeps only for branches. */
export async function recordActivity(
  context: Context,
  repository: Repository,
  change: BranchChange,
): Promise<void> {
  const { ref, before, after, sender_id } = change;
  if (!ref.startsWith('refs/heads/')) return;
  const activity_type = await typeOf(context, repository, change);
  context.store.data.activities.push({
    id: context.store.id(),
    repository_id: repository.id,
    ref,
    before,
    after,
    timestamp: timestamp(context),
    activity_type,
    actor_id: sender_id,
  });
}

/** The repository's activity as a client sees it, newest first. */
export function activitiesOf({ store, faults }: Context, { id }: Repository): Activity[] {
  const newestFirst = store.data.activities.filter(({ repository_id }) => repository_id === id).reverse();
  return faults.shownActivity(id, newestFirst);
}

async function typeOf(
  context: Context,
  repository: Repository,
  { before, after, merged }: BranchChange,
): Promise<ActivityType> {
  if (before === zeroSha) return 'branch_creation';
  if (after === zeroSha) return 'branch_deletion';
  if (merged) return 'pr_merge';
  return (await gitOf(context, repository).isAncestor(before, after)) ? 'push' : 'force_push';
}
