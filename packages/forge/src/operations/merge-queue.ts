import { type Context, gitOf, timestamp } from '../context.ts';
import type { MergeGroup, MergeQueueRule, PullIssue, QueueEntry, Repository } from '../model.ts';
import { requiredChecksOn, rulesOn } from '../rules/applied.ts';
import { groupOf, pullOf, queueOf, queueRuleOn } from '../rules/queue.ts';
import { reviewViolation, verdictOf } from '../rules/requirements.ts';
import { buildGroup, destroyGroup, pusherOf } from './merge-groups.ts';
import { markMerged } from './pulls.ts';
import { refsChanged } from './pushes.ts';
import { dequeue, type RemovalReason, tellRemoval } from './queue-entries.ts';

const running = new WeakMap<Context, Promise<void>>();

/**
 * Lets every merge queue do what is due: it compares what there is with what there should be, step by step,
 * so that nobody has to tell it what has changed.
 */
export async function advanceQueues(context: Context): Promise<void> {
  const { data } = context.store;
  if (data.queue_entries.length + data.merge_groups.length === 0) return;
  const advance = () => advanceAll(context);
  const done = (running.get(context) ?? Promise.resolve()).then(advance, advance);
  running.set(context, done);
  await done;
}

async function advanceAll(context: Context): Promise<void> {
  const { store } = context;
  const places = [...store.data.queue_entries, ...store.data.merge_groups];
  const names = new Map(
    places.map(({ repository_id: id, base_ref }) => [`${id} ${base_ref}`, { id, base_ref }]),
  );
  for (const { id, base_ref: branch } of names.values()) {
    const place = { repository: store.repository(id), branch };
    while (await step(context, place));
  }
}

interface Place {
  repository: Repository;
  branch: string;
}

/** Does the first thing that is due in a queue; false if there is none. */
async function step(context: Context, place: Place): Promise<boolean> {
  return (
    (await removeUnfit(context, place)) || (await rebuild(context, place)) || (await conclude(context, place))
  );
}

/** Removes an entry that may no longer be in the queue. */
async function removeUnfit(context: Context, { repository, branch }: Place): Promise<boolean> {
  for (const entry of queueOf(context, repository, branch)) {
    const reason = unfitness(context, entry);
    if (reason !== undefined) return remove(context, entry, reason);
  }
  return false;
}

function unfitness(context: Context, entry: QueueEntry): RemovalReason | undefined {
  const issue = pullOf(context, entry);
  const { merged_at, draft, base_ref, head_sha } = issue.pull;
  const repository = context.store.repository(entry.repository_id);
  if (merged_at !== null) return 'ALREADY_MERGED';
  if (issue.state === 'closed' || draft) return 'MANUAL';
  if (base_ref !== entry.base_ref || head_sha !== entry.head_sha) return 'MANUAL';
  if (queueRuleOn(context, repository, base_ref) === undefined) return 'QUEUE_CLEARED';
  const lacksReviews = rulesOn(context, repository, `refs/heads/${base_ref}`).some(
    ({ rule }) => rule.type === 'pull_request' && reviewViolation(context, issue, rule) !== undefined,
  );
  return lacksReviews ? 'BRANCH_PROTECTIONS' : undefined;
}

/** Nobody else may have removed it meanwhile; either way the queue is another one now. */
async function remove(context: Context, entry: QueueEntry, reason: RemovalReason): Promise<true> {
  await dequeue(pusherOf(context, entry), pullOf(context, entry), reason);
  return true;
}

/** Builds the first entry whose group is missing or stands on something else than what is before it. */
async function rebuild(context: Context, { repository, branch }: Place): Promise<boolean> {
  const entries = queueOf(context, repository, branch);
  const rule = queueRuleOn(context, repository, branch);
  const orphan = context.store.data.merge_groups.find(
    (group) => isIn(group, { repository, branch }) && !entries.some(({ id }) => id === group.entry_id),
  );
  if (orphan) return destroy(context, [orphan], 'dequeued');
  let base = await gitOf(context, repository).ref(`refs/heads/${branch}`);
  if (rule === undefined || base === undefined) return false;
  const most = Math.max(1, rule.parameters.max_entries_to_build);
  for (const [index, entry] of entries.entries()) {
    const group = groupOf(context, entry);
    if (index < most && group?.base_sha === base) {
      base = group.head_sha;
      continue;
    }
    const stale = entries.slice(index).flatMap((one) => groupOf(context, one) ?? []);
    if (stale.length > 0) return destroy(context, stale, 'invalidated');
    if (index >= most) return false;
    const built = await buildGroup(context, { entry, base, method: rule.parameters.merge_method });
    return built || remove(context, entry, 'MERGE_CONFLICT');
  }
  return false;
}

function isIn({ repository_id, base_ref }: MergeGroup, { repository, branch }: Place): boolean {
  return repository_id === repository.id && base_ref === branch;
}

async function destroy(
  context: Context,
  groups: MergeGroup[],
  reason: Parameters<typeof destroyGroup>[2],
): Promise<true> {
  for (const group of groups) await destroyGroup(context, group, reason);
  return true;
}

/** An entry that has been built, and what its required checks say. */
interface Built {
  entry: QueueEntry;
  group: MergeGroup;
  verdict: 'passing' | 'failing' | 'late' | 'pending';
}

/** Merges the entries at the front that have passed, or else removes one that has failed. */
async function conclude(context: Context, { repository, branch }: Place): Promise<boolean> {
  const rule = queueRuleOn(context, repository, branch);
  if (rule === undefined) return false;
  const built = queueOf(context, repository, branch).flatMap((entry): Built[] => {
    const group = groupOf(context, entry);
    return group ? [{ entry, group, verdict: verdictOn(context, group, rule) }] : [];
  });
  const passed = passedIn(built, rule);
  if (passed.length > 0 && isEnough(context, passed, rule)) return merge(context, passed);
  const failed = failedIn(built, rule);
  if (failed === undefined) return false;
  return remove(context, failed.entry, failed.verdict === 'late' ? 'CI_TIMEOUT' : 'CI_FAILURE');
}

/** What the required checks say of a group; those that are late count as failed. */
export function verdictOn(
  context: Context,
  group: MergeGroup,
  { parameters }: MergeQueueRule,
): Built['verdict'] {
  const repository = context.store.repository(group.repository_id);
  const required = requiredChecksOn(context, repository, group.base_ref);
  const verdict = verdictOf(context, { repository, sha: group.head_sha }, required);
  const isLate = minutesSince(context, group.created_at) >= parameters.check_response_timeout_minutes;
  return verdict === 'pending' && isLate ? 'late' : verdict;
}

/** The entries at the front that can be merged at once. With HEADGREEN only the last of them has to pass. */
function passedIn(built: Built[], { parameters }: MergeQueueRule): Built[] {
  const window = built.slice(0, Math.max(1, parameters.max_entries_to_merge));
  const passes = ({ verdict }: Built) => verdict === 'passing';
  if (parameters.grouping_strategy === 'HEADGREEN') return window.slice(0, window.findLastIndex(passes) + 1);
  const first = window.findIndex((one) => !passes(one));
  return first === -1 ? window : window.slice(0, first);
}

function isEnough(context: Context, passed: Built[], { parameters }: MergeQueueRule): boolean {
  if (passed.length >= parameters.min_entries_to_merge) return true;
  const oldest = Math.max(...passed.map(({ entry }) => minutesSince(context, entry.created_at)));
  return oldest >= parameters.min_entries_to_merge_wait_minutes;
}

/**
 * The entry to blame for a failure: the first that failed, unless one before it is not finished, which may be
 * to blame as well. With HEADGREEN, one that is built behind it may still make up for it.
 */
function failedIn(built: Built[], { parameters }: MergeQueueRule): Built | undefined {
  const hasFailed = ({ verdict }: Built) => verdict === 'failing' || verdict === 'late';
  const first = built.findIndex(hasFailed);
  if (first === -1) return undefined;
  if (parameters.grouping_strategy === 'HEADGREEN')
    return built.slice(first).every(hasFailed) ? built[first] : undefined;
  return built.slice(0, first).every(({ verdict }) => verdict === 'passing') ? built[first] : undefined;
}

/** Moves the base to the last group; each pull request is merged by the commit of its own group. */
async function merge(context: Context, passed: Built[]): Promise<true> {
  const [first, last] = [passed[0], passed.at(-1)];
  if (first === undefined || last === undefined) throw new Error('a merge queue merged nothing');
  const { data } = context.store;
  // From here on, nobody can take them out.
  data.queue_entries = data.queue_entries.filter((entry) => !passed.some((one) => one.entry === entry));
  const change = {
    ref: `refs/heads/${first.group.base_ref}`,
    before: first.group.base_sha,
    after: last.group.head_sha,
  };
  const line = ['update-ref', change.ref, change.after, change.before];
  if ((await gitOf(context, last.group).attempt(line)).code !== 0) {
    // The base has moved, so all are built again.
    data.queue_entries = [...passed.map(({ entry }) => entry), ...data.queue_entries];
    return true;
  }
  const pusher = pusherOf(context, last.group);
  const pulls: [PullIssue, MergeGroup][] = passed.map(({ entry, group }) => [pullOf(context, entry), group]);
  for (const [issue, group] of pulls) await markMerged(pusher, issue, group.head_sha);
  await refsChanged(pusher, [change], 'merge_queue_merge');
  for (const [issue] of pulls) await tellRemoval(pusher, issue, 'MERGE');
  return destroy(
    context,
    pulls.map(([, group]) => group),
    'merged',
  );
}

function minutesSince(context: Context, time: string): number {
  return (Date.parse(timestamp(context)) - Date.parse(time)) / 60_000;
}
