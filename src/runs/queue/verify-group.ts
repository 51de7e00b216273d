import { verifyCommit } from '../../agent/index.ts';
import { mergeOf } from '../../git/merges.ts';
import type { Mirror } from '../../git/mirror.ts';
import { treesOf } from '../../git/objects.ts';
import { unprovenVerifiers } from '../../github/read/commit-checks.ts';
import { failedRequired } from '../../steering/confidence/evaluation.ts';
import type { VerifierOutput } from '../../steering/shapes/attempt-result.ts';
import type { Settings, VerifierSpec } from '../../steering/shapes/settings.ts';
import type { MergeGroup } from '../run/groups.ts';
import type { GroupContext, GroupRun, JudgedGroup } from './members.ts';

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
