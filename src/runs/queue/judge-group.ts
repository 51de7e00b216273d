import { verifyCommit } from '../../agent/index.ts';
import { settingsFor } from '../../config/settings-by-base.ts';
import { mergeOf } from '../../git/merges.ts';
import type { Mirror } from '../../git/mirror.ts';
import { treesOf } from '../../git/objects.ts';
import { hasCommitOfRun, unprovenVerifiers } from '../../github/read/commit-checks.ts';
import { readOpenedPull } from '../../github/read/pulls.ts';
import { membersOf, type QueueEntry, readQueue } from '../../github/read/read-merge-queue.ts';
import { ledgersOf } from '../../ledger/list-ledgers.ts';
import { isFinished } from '../../steering/approval/finish-reasons.ts';
import { isInQueue } from '../../steering/approval/in-merge-queue.ts';
import { failedRequired } from '../../steering/confidence/evaluation.ts';
import type { VerifierOutput } from '../../steering/shapes/attempt-result.ts';
import { somebody } from '../../steering/shapes/people.ts';
import type { Settings, VerifierSpec } from '../../steering/shapes/settings.ts';
import type { State } from '../../steering/state/state.ts';
import type { AgainstMember, GroupMember } from '../../words/merge-group-texts.ts';
import { stateOfRun } from '../dependencies/dependencies.ts';
import { checkFinish } from '../finish/check-finish.ts';
import { noteQueued } from '../finish/merge-run.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';
import type { MergeGroup } from '../run/merge-groups.ts';
import type { Run } from '../run/run.ts';
import { mayPass, recentConfiguration } from './other-pulls.ts';

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
  runs: RepositoryRuns,
): Promise<JudgedGroup | undefined> {
  const { repository, services } = runs;
  const entries = membersOf(await readQueue(repository.octokit, repository, base), head);
  if (entries === undefined) return undefined;
  const numbers = entries.map(({ number }) => number);
  const namespaces = await ledgersOf(repository.remote, numbers);
  const found: (GroupMember & { readonly head: string; readonly of?: GroupRun })[] = [];
  for (const entry of entries) {
    const ledgers = namespaces.get(entry.number) ?? [];
    const isRun = ledgers.length > 0;
    const judged = isRun
      ? await judgeRun(entry, { runs, base, isOpen: ledgers.includes('open') })
      : await judgeOther(entry, base, runs);
    found.push({ number: entry.number, head: entry.head, isRun, ...judged });
  }
  const check = await checkName(base, runs, found);
  // The Action's check is no gate for what is not its own.
  const isOurs = services.presenter === 'app' || found.some(({ isRun }) => isRun);
  if (check === undefined || !isOurs) return undefined;
  const mergeable = found.flatMap(({ of }) => (of === undefined ? [] : [of]));
  return { members: found.map(({ of: _, ...member }) => member), runs: mergeable, check };
}

/** By the configuration, or where that cannot be used, as a run in the group was judged last. */
async function checkName(
  base: string,
  runs: RepositoryRuns,
  members: readonly { readonly number: number }[],
): Promise<string | undefined> {
  const { default_branch } = runs.repository;
  const reading = await recentConfiguration(default_branch, runs);
  if (reading.outcome === 'configured') return settingsFor(reading, { base, default_branch }).check;
  const known = members.flatMap(({ number }) => runs.ifOpen(number)?.newest ?? []);
  return known.find(({ run }) => run.base === base)?.settings.check;
}

type Judged = { readonly of: GroupRun } | { readonly against: AgainstMember };

/** As before the merge of a run alone: what was approved is compared with GitHub once more. */
async function judgeRun(
  entry: QueueEntry,
  { runs, base, isOpen }: { readonly runs: RepositoryRuns; readonly base: string; readonly isOpen: boolean },
): Promise<Judged> {
  const run = runs.of(entry.number);
  if (!isOpen) return { against: { why: 'ended' } };
  const state = await stateOfRun(run);
  if (state === undefined) return { against: { why: 'ledger' } };
  if (state.run.presenter !== runs.services.presenter) return { against: { why: 'elsewhere' } };
  if (!isFinished(state)) return { against: { why: 'not_approved', phase: state.standing.phase } };
  const finishable = await checkFinish(run, state);
  if (finishable === undefined) return { against: { why: 'fallen' } };
  const { pull, settings } = finishable;
  if (pull.head_sha !== entry.head || pull.base_ref !== base || !pull.open)
    return { against: { why: 'moved' } };
  // If its approval falls, it has to leave the queue.
  if (!isInQueue(run.newest)) await noteQueued(run, { at: run.now(), by: somebody });
  return { of: { run, state: finishable.state, settings } };
}

/** As a pull request that is not a run gets its own check. */
async function judgeOther(
  { number, head }: QueueEntry,
  base: string,
  runs: RepositoryRuns,
): Promise<{ readonly against?: AgainstMember }> {
  const { repository } = runs;
  const { octokit, own } = repository;
  const pull = await readOpenedPull(octokit, repository, number);
  if (pull.head_sha !== head || pull.base_ref !== base) return { against: { why: 'moved' } };
  if (runs.services.presenter === 'app') {
    const reading = await recentConfiguration(repository.default_branch, runs);
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

/**
 * Runs the verifiers of all runs of a merge group on its head, each run's as it has them, unless they have
 * seen the same files. Checks of the repository's own CI are left to GitHub, which requires them of the group
 * itself.
 */
export async function verifyGroup(
  { head }: MergeGroup,
  { members, runs: mergeable }: JudgedGroup,
  runs: RepositoryRuns,
  signal: AbortSignal,
): Promise<GroupVerdict> {
  if (mergeable.every(({ settings }) => settings.verifiers.length === 0)) return { outcome: 'ran', said: [] };
  const mirror = await runs.repository.mirror();
  await mirror.fetch();
  const [tree] = await treesOf(mirror.dir, [head]);
  if (tree === undefined) return { outcome: 'cancelled' };
  const on = { head, tree, mirror, alone: members.length === 1 };
  const done: (SaidOfRun & Pick<GroupRun, 'settings'>)[] = [];
  // A task only adds verifiers at the end, so the longest list mostly says what the others would.
  const byLength = mergeable.toSorted(
    (one, other) => other.settings.verifiers.length - one.settings.verifiers.length,
  );
  for (const { run, state, settings } of byLength) {
    const same = done.find((other) => beginsWith(other.settings.verifiers, settings.verifiers));
    const verified = same ?? (await verifyAs({ run, state, settings }, on, runs, signal));
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
  { repository, groups, services }: RepositoryRuns,
  signal: AbortSignal,
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
