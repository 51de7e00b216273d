import { verifyCommit } from '../../agent/index.ts';
import { mergeOf } from '../../git/merge.ts';
import type { Mirror } from '../../git/mirror.ts';
import { treesOf } from '../../git/objects.ts';
import type { MergeGroup } from '../../github/listen/run-event.ts';
import { unprovenVerifiers } from '../../github/read/own-checks.ts';
import type { VerifierOutput } from '../../steering/attempt-result.ts';
import { failedRequired } from '../../steering/confidence/evaluation.ts';
import type { Settings, VerifierSpec } from '../../steering/settings.ts';
import type { GroupContext, GroupRun, JudgedGroup } from './members.ts';

/** What the verifiers say of a merge group; `failed`: why they could not run. */
export type GroupVerdict =
  | { readonly outcome: 'ran'; readonly outputs: readonly VerifierOutput[] }
  | { readonly outcome: 'failed'; readonly problem: string }
  /** The group is gone, or we are to stop. */
  | { readonly outcome: 'cancelled' };

interface Verifying extends GroupContext {
  readonly signal: AbortSignal;
}

/**
 * Runs the verifiers of all runs of a merge group on its head, unless they have seen the same files. Checks
 * of the repository's own CI are left to GitHub, which requires them of the group itself.
 */
export async function verifyGroup(
  { head }: MergeGroup,
  { members, runs }: JudgedGroup,
  { repository, liveRuns, signal }: Verifying,
): Promise<GroupVerdict> {
  const last = runs.at(-1);
  const verifiers = verifiersOf(runs);
  if (last === undefined || verifiers.length === 0) return { outcome: 'ran', outputs: [] };
  const { groups, services } = liveRuns;
  const mirror = await repository.mirror();
  await mirror.fetch();
  const [tree] = await treesOf(mirror.dir, [head]);
  if (tree === undefined) return { outcome: 'cancelled' };
  const settings: Settings = { ...last.settings, verifiers };
  const key = JSON.stringify([repository.id, tree, judging(settings)]);
  const seen = groups.verified.get(key) ?? (members.length === 1 && (await seenAlone(last, mirror, tree)));
  if (seen) return { outcome: 'ran', outputs: seen };
  const assignment = {
    state: { ...last.state, settings },
    hold: { holder: 'merge-group', iteration: last.state.iteration, attempt: last.state.attempt },
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
  return { outcome: 'ran', outputs };
}

/** Each once, by name: what one run requires is required of all. */
function verifiersOf(runs: readonly GroupRun[]): readonly VerifierSpec[] {
  const all = runs.flatMap(({ settings }) => settings.verifiers);
  const names = new Set(all.map(({ name }) => name));
  return [...names].flatMap((name) => {
    const same = all.filter((spec) => spec.name === name);
    return same.slice(0, 1).map((spec) => ({ ...spec, required: same.some(({ required }) => required) }));
  });
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
