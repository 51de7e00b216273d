import { type Context, gitOf, type Pusher, timestamp } from '../context.ts';
import { type CommitRecord, listTouches } from '../git/commits.ts';
import { type RefChange, zeroSha } from '../git/plumbing.ts';
import type { Activity, ActivityType, Json, PullIssue, Repository } from '../model.ts';
import { pushedCommitPayload } from '../payloads/commits.ts';
import { htmlLink } from '../payloads/links.ts';
import { requestChecks } from './checks.ts';
import { recordIssueEvent } from './issue-events.ts';
import { setState } from './issues.ts';
import { markMerged, synchronize } from './pulls.ts';

/** A merge of pull requests, which the activity does not call a push. */
type MergeActivity = 'pr_merge' | 'merge_queue_merge';

/** Processes the effects of changed refs, whether by a push, the API or the merge of a pull request. */
export async function refsChanged(pusher: Pusher, changes: RefChange[], by?: MergeActivity): Promise<void> {
  pusher.repository.pushed_at = timestamp(pusher.context);
  for (const change of changes) {
    await recordActivity(pusher, change, by);
    if (!/^refs\/(heads|tags)\//.test(change.ref)) continue;
    await emitPushEvent(pusher, change);
    if (change.ref.startsWith('refs/heads/')) await branchChanged(pusher, change);
  }
}

async function branchChanged(pusher: Pusher, change: RefChange): Promise<void> {
  const { context, repository } = pusher;
  const branch = change.ref.slice('refs/heads/'.length);
  if (change.after === zeroSha) return branchDeleted(pusher, branch, change.before);
  const open = context.store.pulls(repository).filter((issue) => issue.state === 'open');
  for (const issue of open.filter(({ pull }) => pull.head_ref === branch)) {
    if (change.after !== issue.pull.head_sha) await synchronize(pusher, issue, change);
  }
  await requestChecks(pusher, change, branch);
  const onto = open.filter(({ state, pull }) => state === 'open' && pull.base_ref === branch);
  if (onto.length > 0) await markMergedByPush(pusher, onto, change.after);
}

/** Closes the pull requests from and into a branch that no longer exists. */
async function branchDeleted(pusher: Pusher, branch: string, before: string): Promise<void> {
  const pulls = pusher.context.store.pulls(pusher.repository);
  const open = pulls.filter(({ state }) => state === 'open');
  for (const issue of open.filter(({ pull }) => pull.base_ref === branch)) {
    recordIssueEvent(pusher, issue, { event: 'base_ref_deleted' });
    await setState(pusher, issue, 'closed');
  }
  for (const issue of open.filter(({ pull }) => pull.head_ref === branch)) {
    await setState(pusher, issue, 'closed');
  }
  // Also for merged and closed ones, if the branch has not moved since.
  for (const issue of pulls.filter(({ pull }) => pull.head_ref === branch && pull.head_sha === before)) {
    recordIssueEvent(pusher, issue, { event: 'head_ref_deleted' });
  }
}

/** Marks pull requests as merged if a push put their head into their base, as GitHub does. */
async function markMergedByPush(pusher: Pusher, onto: PullIssue[], after: string): Promise<void> {
  const git = gitOf(pusher.context, pusher.repository);
  const asked = ['for-each-ref', '--format=%(refname)', '--merged', after, 'refs/pull/*/head'];
  const names = new Set((await git.run(asked)).split('\n'));
  for (const issue of onto.filter(({ number }) => names.has(`refs/pull/${number}/head`))) {
    await markMerged(pusher, issue, after);
  }
}

async function emitPushEvent(pusher: Pusher, change: RefChange): Promise<void> {
  const { context, repository, sender_id } = pusher;
  const { ref, before, after } = change;
  const created = before === zeroSha;
  const deleted = after === zeroSha;
  const [pushed, forced] = await Promise.all([
    deleted ? { commits: [], head_commit: null } : pushedCommits(context, repository, change),
    !created && !deleted && isForced(pusher, change),
  ]);
  const sender = context.store.account(sender_id);
  const payload: Json = {
    ...{ ref, before, after, created, deleted, forced, base_ref: null },
    compare: htmlLink(context, repository, `/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`),
    ...pushed,
    pusher: { name: sender.login, email: `${sender.id}+${sender.login}@users.noreply.forge.example` },
  };
  context.emit({ name: 'push', repository, sender_id, payload });
}

async function isForced({ context, repository }: Pusher, { before, after }: RefChange): Promise<boolean> {
  return !(await gitOf(context, repository).isAncestor(before, after));
}

const mostCommits = 20;

/** The newest commits that the old head (for a new branch: the default branch) lacks, oldest first. */
async function pushedCommits(context: Context, repository: Repository, { ref, before, after }: RefChange) {
  const git = gitOf(context, repository);
  const trunk = `refs/heads/${repository.default_branch}`;
  const known = before !== zeroSha ? [`^${before}`] : ref === trunk ? [] : [`^${trunk}`];
  const touched = ref.startsWith('refs/tags/') ? [] : await listTouches(git, [after, ...known], mostCommits);
  const head = touched[0] ?? (await listTouches(git, [after], 1))[0];
  const shown = (commit: CommitRecord) => pushedCommitPayload(context, repository, commit);
  return { commits: touched.toReversed().map(shown), head_commit: head ? shown(head) : null };
}

/** Adds an entry to the repository's activity, which GitHub keeps only for branches. */
export async function recordActivity(pusher: Pusher, change: RefChange, by?: MergeActivity): Promise<void> {
  const { context, repository, sender_id: actor_id } = pusher;
  if (!change.ref.startsWith('refs/heads/')) return;
  const activity_type = by ?? (await typeOf(pusher, change));
  const { ref, before, after } = change;
  context.store.data.activities.push({
    ...{ id: context.store.id(), repository_id: repository.id, timestamp: timestamp(context) },
    ...{ ref, before, after, activity_type, actor_id },
  });
}

/** The repository's activity as a client sees it, newest first. */
export function activitiesOf({ store, faults }: Context, { id }: Repository): Activity[] {
  const newestFirst = store.data.activities.filter(({ repository_id }) => repository_id === id).reverse();
  return faults.shownActivity(id, newestFirst);
}

async function typeOf(pusher: Pusher, change: RefChange): Promise<ActivityType> {
  if (change.before === zeroSha) return 'branch_creation';
  if (change.after === zeroSha) return 'branch_deletion';
  return (await isForced(pusher, change)) ? 'force_push' : 'push';
}
