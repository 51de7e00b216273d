import type { Phase } from '../../steering/standing.ts';
import { hasLabel, isOurLabel, ourLabel } from '../names.ts';
import { setDraft } from '../write/draft.ts';
import { type PullTarget, repoParamsOf } from '../write/pull-target.ts';
import { withhold } from './withhold.ts';

/**
 * Shows a run whose state is lost as paused: a draft with the label `paused`, and nothing of ours that permits
 * merging, on no head, because its approvals are void. The body stays unchanged.
 */
export async function showPaused(target: PullTarget, former: readonly string[] = []): Promise<void> {
  const { octokit, run } = target;
  const { pull } = await withhold(target, { lost: true, unrecorded: false, always: true, former });
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
