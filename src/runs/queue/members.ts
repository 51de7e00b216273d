import { settingsFor } from '../../config/settings-by-base.ts';
import { listRemote } from '../../git/remote.ts';
import { hasCommitOfRun } from '../../github/read/commit-checks.ts';
import { readOpenedPull } from '../../github/read/pulls.ts';
import { membersOf, type QueueEntry, readQueue } from '../../github/read/read-merge-queue.ts';
import { isOfLedger } from '../../ledger/errors.ts';
import { isInQueue } from '../../steering/approval/in-merge-queue.ts';
import { somebody } from '../../steering/shapes/people.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import type { State } from '../../steering/state/state.ts';
import type { AgainstMember, GroupMember } from '../../words/check-texts.ts';
import { checkFinish, isFinished } from '../finish/check-finish.ts';
import { noteQueued } from '../finish/enqueue.ts';
import type { LiveRuns } from '../live/live-runs.ts';
import type { Repository } from '../repository/repository.ts';
import type { MergeGroup } from '../run/groups.ts';
import type { Run } from '../run/run.ts';
import { mayPass, recentConfiguration } from './other-pulls.ts';

/** Where merge groups are dealt with. */
export interface GroupContext {
  readonly repository: Repository;
  readonly liveRuns: LiveRuns;
}

/** An approved run of a merge group, with the settings that hold for it now. */
export interface GroupRun {
  readonly run: Run;
  readonly state: State;
  readonly settings: Settings;
}

/** A merge group as it is in GitHub's queue at this moment. */
export interface JudgedGroup {
  readonly members: readonly (GroupMember & Pick<QueueEntry, 'head'>)[];
  /** Those that nothing keeps from being merged. */
  readonly runs: readonly GroupRun[];
  /** The name of the check that decides. */
  readonly check: string;
}

/**
 * Asks of every pull request in a merge group what is asked before it is merged alone. Undefined if the group
 * is not in the queue, or is none of our business.
 */
export async function judgeGroup(
  { base, head }: MergeGroup,
  context: GroupContext,
): Promise<JudgedGroup | undefined> {
  const { repository, liveRuns } = context;
  const entries = membersOf(await readQueue(repository.octokit, repository, base), head);
  if (entries === undefined) return undefined;
  const namespaces = await ledgersOf(repository, entries);
  const found: (GroupMember & { readonly head: string; readonly of?: GroupRun })[] = [];
  for (const entry of entries) {
    const ledgers = namespaces.get(entry.number) ?? [];
    const isRun = ledgers.length > 0;
    const judged = isRun
      ? await judgeRun(entry, { ...context, base, isOpen: ledgers.includes('open') })
      : await judgeOther(entry, { ...context, base });
    found.push({ number: entry.number, head: entry.head, isRun, ...judged });
  }
  const runs = found.flatMap(({ of }) => (of === undefined ? [] : [of]));
  const check = await checkName(base, context, found);
  // The Action's check is no gate for what is not its own.
  const isOurs = liveRuns.services.presenter === 'app' || found.some(({ isRun }) => isRun);
  if (check === undefined || !isOurs) return undefined;
  return { members: found.map(({ of: _, ...member }) => member), runs, check };
}

/** By the configuration, or where that cannot be used, as a run in the group was judged last. */
async function checkName(
  base: string,
  { repository, liveRuns }: GroupContext,
  members: readonly { readonly number: number }[],
): Promise<string | undefined> {
  const { services } = liveRuns;
  const reading = await recentConfiguration(repository, { repository, services });
  if (reading.outcome === 'configured')
    return settingsFor(reading, { base, default_branch: repository.default_branch }).check;
  const known = members.flatMap(({ number }) => liveRuns.ifOpen(repository, number)?.newest ?? []);
  return known.find(({ run }) => run.base === base)?.settings.check;
}

/** The namespaces in which each of them has a ledger, such as `open`: one that has any is or was a run. */
async function ledgersOf(
  { remote }: Repository,
  entries: readonly QueueEntry[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const patterns = entries.flatMap(({ number }) => [
    `refs/coxswain/*/${number}`,
    `refs/coxswain/broken/${number}-*`,
  ]);
  const found = new Map<number, readonly string[]>();
  for (const ref of (await listRemote(remote, patterns)).keys()) {
    const [, namespace = '', number = ''] = /^refs\/coxswain\/([^/]+)\/(\d+)(?:-|$)/.exec(ref) ?? [];
    found.set(Number(number), [...(found.get(Number(number)) ?? []), namespace]);
  }
  return found;
}

type Judged = { readonly of: GroupRun } | { readonly against: AgainstMember };

interface JudgingRun extends GroupContext {
  readonly base: string;
  readonly isOpen: boolean;
}

/** As before the merge of a run alone: what was approved is compared with GitHub once more. */
async function judgeRun(
  entry: QueueEntry,
  { repository, liveRuns, base, isOpen }: JudgingRun,
): Promise<Judged> {
  const { services } = liveRuns;
  const run = liveRuns.of(repository, entry.number);
  if (!isOpen) return { against: { why: 'ended' } };
  const snapshot = await run.readLedger().catch((fault: unknown) => {
    if (isOfLedger(fault)) return undefined;
    throw fault;
  });
  if (snapshot === undefined) return { against: { why: 'ledger' } };
  const { state } = snapshot;
  if (state.run.presenter !== services.presenter) return { against: { why: 'elsewhere' } };
  if (!isFinished(state)) return { against: { why: 'not_approved', phase: state.standing.phase } };
  const finishable = await checkFinish(run, state, { services });
  if (finishable === undefined) return { against: { why: 'fallen' } };
  const { pull, settings } = finishable;
  if (pull.head_sha !== entry.head || pull.base_ref !== base || !pull.open)
    return { against: { why: 'moved' } };
  // If its approval falls, it has to leave the queue.
  if (!isInQueue(run.newest)) await noteQueued(run, { at: services.clock.now().toISOString(), by: somebody });
  return { of: { run, state: finishable.state, settings } };
}

/** As a pull request that is not a run gets its own check. */
async function judgeOther(
  { number, head }: QueueEntry,
  { repository, liveRuns, base }: GroupContext & { readonly base: string },
): Promise<{ readonly against?: AgainstMember }> {
  const { services } = liveRuns;
  const { octokit, own } = repository;
  const pull = await readOpenedPull(octokit, repository, number);
  if (pull.head_sha !== head || pull.base_ref !== base) return { against: { why: 'moved' } };
  if (services.presenter === 'app') {
    const reading = await recentConfiguration(repository, { repository, services });
    const passes = reading.outcome === 'configured' && mayPass(pull, reading.others, repository);
    if (!passes) return { against: { why: 'others' } };
  }
  const isOfRun = await hasCommitOfRun(octokit, { where: repository, number, own }, { base, head });
  return isOfRun ? { against: { why: 'commit_of_run' } } : {};
}
