import type { Phase } from '../../steering/shapes/standing.ts';
import { type CheckText, lostCheck, withheldCheck } from '../../words/index.ts';
import { type Withheld, withheldMark } from '../marks.ts';
import { hasLabel, isOurLabel, otherPullId, ourLabel } from '../names.ts';
import { readPull } from '../read/pulls.ts';
import { dequeuePull, disableAutoMerge } from '../write/merge-pull.ts';
import { setDraft } from '../write/open-pull.ts';
import { type PullTarget, repoParamsOf } from '../write/pull-target.ts';
import { type KnownCheck, readOwnChecks, writeCheck } from './check-runs.ts';

/** What is to be taken back, and why. */
interface WithholdingOnGitHub extends Withheld {
  /** Whether a decision that does not permit merging is replaced as well: it may still come to count. */
  readonly always: boolean;
  /** Whether it may be in a merge queue; a draft is in none. */
  readonly queued: boolean;
  /** Former heads on which a decision may still permit merging. */
  readonly former?: readonly string[];
}

/**
 * Takes back what permits merging, while something that was said or done cannot be recorded: it may be what
 * takes the approval back. Returns the pull request as it was then, and the check runs with a mark of this
 * withholding, which only whoever wrote it may erase.
 */
export async function withhold(target: PullTarget, withholding: WithholdingOnGitHub) {
  const { octokit, run } = target;
  const where = { owner: run.owner, name: run.repo };
  const pull = await readPull(octokit, where, run.number);
  // One that is closed can be reopened by anyone with write access.
  if (pull.merged) return { pull, marked: [] };
  if (pull.open && pull.auto_merge !== null) await disableAutoMerge(octokit, pull);
  if (pull.open && !pull.draft && withholding.queued) await dequeuePull(octokit, where, pull);
  const marked: number[] = [];
  for (const check of await readOwnChecks(target, pull.head_sha))
    if (withholding.always || check.result === 'success' || check.withheld !== undefined)
      marked.push(...(await replace(target, check, withholding)));
  for (const head of new Set(withholding.former))
    if (head !== pull.head_sha)
      for (const check of await readOwnChecks(target, head))
        if (check.result === 'success') marked.push(...(await replace(target, check, withholding)));
  return { pull, marked };
}

/** What could not be recorded is in the ledger: these marks of ours void nothing any more. */
export async function eraseMarks(target: PullTarget, marked: readonly number[]): Promise<void> {
  const { title, summary } = withheldCheck();
  for (const check_run_id of marked)
    await target.octokit.rest.checks.update({
      ...repoParamsOf(target),
      check_run_id,
      output: { title, summary, text: withheldMark({ lost: false, unrecorded: false }) },
    });
}

/** A mark gets a check run of its own where there is another one: each process erases only what it wrote. */
async function replace(
  target: PullTarget,
  there: KnownCheck,
  { lost, unrecorded }: Withheld,
): Promise<readonly number[]> {
  const { name, head_sha, isDecision, withheld: before } = there;
  if (!isDecision || (!lost && there.external_id === otherPullId(target.run.number))) return [];
  if (before !== undefined && !unrecorded && (before.lost || !lost)) return [];
  const external_id = `work:${target.run.number}:0`;
  const none = { external_id, actions: [], annotations: [] };
  const view = { ...textOf({ lost, unrecorded }), ...none, name, head_sha, result: 'cancelled' } as const;
  const isMarked = before?.lost || before?.unrecorded;
  const { id } = await writeCheck(target, { view, there: isMarked ? undefined : there, tip: undefined });
  return unrecorded ? [id] : [];
}

function textOf(withheld: Withheld): CheckText {
  return { ...(withheld.lost ? lostCheck() : withheldCheck()), text: withheldMark(withheld) };
}

/**
 * Shows a run whose state is lost as paused: a draft with the label `paused`, and nothing of ours that permits
 * merging, on no head, because its approvals are void. The body stays unchanged.
 */
export async function showPaused(target: PullTarget, former: readonly string[] = []): Promise<void> {
  const { octokit, run } = target;
  const { pull } = await withhold(target, {
    lost: true,
    unrecorded: false,
    always: true,
    queued: true,
    former,
  });
  if (!pull.open) return;
  await setDraft(target, pull, 'draft');
  const wanted = [...pull.labels.filter((label) => !isOurLabel(label)), ourLabel, pausedLabel];
  if (wanted.every((label) => hasLabel(pull.labels, label)) && wanted.length === pull.labels.length) return;
  await octokit.rest.issues.setLabels({
    ...repoParamsOf(target),
    issue_number: run.number,
    labels: wanted,
  });
}

const phase: Phase = 'paused';
const pausedLabel = `${ourLabel}:${phase}`;
