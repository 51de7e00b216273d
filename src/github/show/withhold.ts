import { otherPullId } from '../check-ids.ts';
import { type PullFacts, readPull } from '../read/pulls.ts';
import { type CheckText, lostCheck, withheldCheck } from '../words/index.ts';
import { type Withheld, withheldMark } from '../words/withheld-mark.ts';
import { disableAutoMerge } from '../write/auto-merge.ts';
import type { PullTarget } from '../write/pull-target.ts';
import { type KnownCheck, readOwnChecks, writeCheck } from './check-run-api.ts';

/** What is to be taken back, and why. */
export interface Withholding extends Withheld {
  /** Whether a decision that does not permit merging is replaced as well: it may still come to count. */
  readonly always: boolean;
  /** Former heads on which a decision may still permit merging. */
  readonly former?: readonly string[];
}

/**
 * Takes back what permits merging, while something that was said or done cannot be recorded: it may be what
 * takes the approval back. Returns the pull request as it was then.
 */
export async function withhold(target: PullTarget, withholding: Withholding): Promise<PullFacts> {
  const { octokit, run } = target;
  const pull = await readPull(octokit, { owner: run.owner, name: run.repo }, run.number);
  // One that is closed can be reopened by anyone with write access.
  if (pull.merged) return pull;
  if (pull.open && pull.auto_merge !== null) await disableAutoMerge(octokit, pull);
  for (const check of await readOwnChecks(target, pull.head_sha))
    if (withholding.always || check.result === 'success' || check.withheld !== undefined)
      await replace(target, check, withholding);
  for (const head of new Set(withholding.former))
    if (head !== pull.head_sha)
      for (const check of await readOwnChecks(target, head))
        if (check.result === 'success') await replace(target, check, withholding);
  return pull;
}

async function replace(target: PullTarget, there: KnownCheck, { lost, unrecorded }: Withheld): Promise<void> {
  const { name, head_sha, isDecision, withheld: before } = there;
  if (!isDecision || (!lost && there.external_id === otherPullId(target.run.number))) return;
  const now = {
    lost: lost || before?.lost === true,
    unrecorded: [...new Set([...(before?.unrecorded ?? []), ...unrecorded])],
  };
  if (before !== undefined && isEqual(before, now)) return;
  const external_id = `work:${target.run.number}:0`;
  const none = { external_id, actions: [], annotations: [] };
  const view = { ...textOf(now), ...none, name, head_sha, result: 'cancelled' } as const;
  await writeCheck(target, { view, there, tip: undefined });
}

function textOf(withheld: Withheld): CheckText {
  return { ...(withheld.lost ? lostCheck() : withheldCheck()), text: withheldMark(withheld) };
}

function isEqual(one: Withheld, other: Withheld): boolean {
  return withheldMark(one) === withheldMark(other);
}
