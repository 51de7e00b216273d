import type { Phase } from '../../steering/standing.ts';
import { isOurLabel, ourLabel } from '../names.ts';
import { readPull } from '../read/pulls.ts';
import { lostCheck } from '../words/index.ts';
import { disableAutoMerge } from '../write/auto-merge.ts';
import { setDraft } from '../write/draft.ts';
import { type PullTarget, repoParamsOf } from '../write/pull-target.ts';
import { type KnownCheck, readOwnChecks, writeCheck } from './check-run-api.ts';

/**
 * Shows a run whose state is lost as paused: a draft with the label `paused`, and nothing of ours that permits
 * merging, on no head, because its approvals are void. The body stays unchanged: it is all that is left.
 */
export async function showPaused(target: PullTarget, former: readonly string[] = []): Promise<void> {
  const { octokit, run } = target;
  const pull = await readPull(octokit, { owner: run.owner, name: run.repo }, run.number);
  if (!pull.open) return;
  if (pull.auto_merge !== null) await disableAutoMerge(octokit, pull);
  for (const head of new Set([pull.head_sha, ...former]))
    for (const check of await readOwnChecks(target, head)) await withdraw(target, check);
  await setDraft(target, pull, 'draft');
  const wanted = [...pull.labels.filter((label) => !isOurLabel(label)), ourLabel, pausedLabel];
  if (wanted.every((label) => pull.labels.includes(label)) && wanted.length === pull.labels.length) return;
  await octokit.rest.issues.setLabels({
    ...repoParamsOf(target),
    issue_number: run.number,
    labels: wanted,
  });
}

async function withdraw(target: PullTarget, there: KnownCheck): Promise<void> {
  const { name, head_sha, isDecision, result } = there;
  if (!isDecision || result !== 'success') return;
  const external_id = `work:${target.run.number}:0`;
  const none = { external_id, actions: [], annotations: [] };
  const view = { ...lostCheck(), ...none, name, head_sha, result: 'cancelled' } as const;
  await writeCheck(target, { view, there, tip: undefined });
}

const phase: Phase = 'paused';
const pausedLabel = `${ourLabel}:${phase}`;
