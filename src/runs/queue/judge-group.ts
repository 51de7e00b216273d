import { verifyCommit } from '../../agent/index.ts';
import { settingsFor } from '../../config/settings-by-base.ts';
import { mergeOf } from '../../git/merges.ts';
import type { Mirror } from '../../git/mirror.ts';
import { treesOf } from '../../git/objects.ts';
import { listRemote } from '../../git/remote.ts';
import { hasCommitOfRun, unprovenVerifiers } from '../../github/read/commit-checks.ts';
import { readOpenedPull } from '../../github/read/pulls.ts';
import { membersOf, type QueueEntry, readQueue } from '../../github/read/read-merge-queue.ts';
import { isOfLedger } from '../../ledger/errors.ts';
import type { Repository } from '../../repository/repository.ts';
import { isInQueue } from '../../steering/approval/in-merge-queue.ts';
import { failedRequired } from '../../steering/confidence/evaluation.ts';
import type { VerifierOutput } from '../../steering/shapes/attempt-result.ts';
import { somebody } from '../../steering/shapes/people.ts';
import type { Settings, VerifierSpec } from '../../steering/shapes/settings.ts';
import type { State } from '../../steering/state/state.ts';
import type { AgainstMember, GroupMember } from '../../words/merge-group-texts.ts';
import { checkFinish, isFinished } from '../finish/check-finish.ts';
import { noteQueued } from '../finish/merge-run.ts';
import type { LiveRuns } from '../live/live-runs.ts';
import type { MergeGroup } from '../run/merge-groups.ts';
import type { Run } from '../run/run.ts';
import { mayPass, recentConfiguration } from './other-pulls.ts';

/** Where merge groups are dealt with. */
export interface GroupContext {
  readonly repository: Repository;
  readonly liveRuns: LiveRuns;
}

/** An approved run of a merge group, with the settings that hold for it now. */
interface GroupRun {
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

/** What the verifiers of one run say of a merge group. */
export interface SaidOfRun {
  readonly number: number;
  readonly outputs: readonly VerifierOutput[];
}

/** What the verifiers say of a merge group; `failed`: why they could not run. */
export type GroupVerdict =
  | { readonly outcome: 'ran'; readonly said: readonly SaidOfRun[] }
  | { readonly outcome: 'failed'; readonly problem: string }
  /** The group is gone, or we are to stop. */
  | { readonly outcome: 'cancelled' };

interface Verifying extends GroupContext {
  readonly signal: AbortSignal;
}

/**
 * Runs the verifiers of all runs of a merge group on its head, each run's as it has them, unless they have
 * seen the same files. Checks of the repository's own CI are left to GitHub, which requires them of the group
 * itself.
 */
export async function verifyGroup(
  { head }: MergeGroup,
  { members, runs }: JudgedGroup,
  context: Verifying,
): Promise<GroupVerdict> {
  if (runs.every(({ settings }) => settings.verifiers.length === 0)) return { outcome: 'ran', said: [] };
  const mirror = await context.repository.mirror();
  await mirror.fetch();
  const [tree] = await treesOf(mirror.dir, [head]);
  if (tree === undefined) return { outcome: 'cancelled' };
  const on = { head, tree, mirror, alone: members.length === 1 };
  const done: (SaidOfRun & Pick<GroupRun, 'settings'>)[] = [];
  // A task only adds verifiers at the end, so the longest list mostly says what the others would.
  const byLength = runs.toSorted(
    (one, other) => other.settings.verifiers.length - one.settings.verifiers.length,
  );
  for (const { run, state, settings } of byLength) {
    const same = done.find((other) => beginsWith(other.settings.verifiers, settings.verifiers));
    const verified = same ?? (await verifyAs({ run, state, settings }, on, context));
    if ('outcome' in verified) return verified;
    const names = settings.verifiers.map(({ name }) => name);
    const outputs = verified.outputs.filter(({ name }) => names.includes(name));
    done.push({ number: run.number, settings, outputs });
  }
  return { outcome: 'ran', said: done };
}

function beginsWith(all: readonly VerifierSpec[], first: readonly VerifierSpec[]): boolean {
  return JSON.stringify(all.slice(0, first.length)) === JSON.stringify(first);
}

interface VerifiedCommit {
  readonly head: string;
  readonly tree: string;
  readonly mirror: Mirror;
  /** Whether the group is one pull request. */
  readonly alone: boolean;
}

/** Runs the verifiers of one run on the head of a merge group. */
async function verifyAs(
  of: GroupRun,
  { head, tree, mirror, alone }: VerifiedCommit,
  { repository, liveRuns: { groups, services }, signal }: Verifying,
): Promise<Pick<SaidOfRun, 'outputs'> | Exclude<GroupVerdict, { outcome: 'ran' }>> {
  const { state, settings } = of;
  const key = JSON.stringify([repository.id, tree, judging(settings)]);
  const seen = groups.verified.get(key) ?? (alone && (await seenAlone(of, mirror, tree)));
  if (seen) return { outputs: seen };
  const assignment = {
    state: { ...state, settings },
    hold: { holder: 'merge-group', iteration: state.iteration, attempt: state.attempt },
    commit: head,
    default_branch: repository.default_branch,
  };
  const verified = await services.engine.lend(async (using, stopped) => {
    const ending = AbortSignal.any([signal, stopped]);
    if (ending.aborted) return { kind: 'cancelled' } as const;
    return verifyCommit(assignment, await using.resources(mirror, settings), { signal: ending });
  });
  if (verified.kind === 'cancelled') return { outcome: 'cancelled' };
  if (verified.kind === 'failed') return { outcome: 'failed', problem: verified.failure.message };
  const outputs = verified.results.map(({ excerpt }) => excerpt);
  // What failed may be flaky: whoever queues the same files again has them verified again.
  if (failedRequired(outputs).length === 0) groups.verified.set(key, outputs);
  return { outputs };
}

/** What the result of the verifiers depends on besides the files. */
function judging({ verifiers, setup, setup_changes }: Settings): string {
  return JSON.stringify([verifiers, setup, setup_changes ?? []]);
}

/**
 * What they said of the run alone, if they saw the same files, and our check runs prove what the ledger says.
 */
async function seenAlone(
  { run, state, settings }: GroupRun,
  mirror: Mirror,
  tree: string,
): Promise<readonly VerifierOutput[] | undefined> {
  const { shown, head } = state;
  if (shown?.head_sha !== head || judging(state.settings) !== judging(settings)) return undefined;
  const subject = await subjectOf(mirror, { head, base: shown.merged_with });
  if (subject === undefined || (await treesOf(mirror.dir, [subject]))[0] !== tree) return undefined;
  const { repository, number } = run;
  const place = { where: repository, number, own: repository.own };
  const names = settings.verifiers.map(({ name }) => name);
  const wanted = { head, check: settings.check, names };
  if ((await unprovenVerifiers(repository.octokit, place, wanted)).length > 0) return undefined;
  return shown.verifiers.filter(({ name }) => names.includes(name));
}

/** The commit that the verifiers saw: the head, or its merge with the base. */
async function subjectOf(
  { dir }: Mirror,
  { head, base }: { readonly head: string; readonly base: string | undefined },
): Promise<string | undefined> {
  if (base === undefined) return head;
  const merge = await mergeOf(dir, { base, head });
  return merge.kind === 'merged' ? merge.commit : undefined;
}
