import type { Phase } from '../../steering/standing.ts';
import { isOurLabel, ourLabel } from '../names.ts';
import { setDraft } from '../write/draft.ts';
import { type PullTarget, repoParamsOf } from '../write/pull-target.ts';

/**
 * Shows a run whose state is lost as paused: a draft, which cannot be merged, with the label `paused`. The
 * body stays unchanged, because it is all that is left of the run.
 */
export async function showPaused(target: PullTarget): Promise<void> {
  const { octokit, run } = target;
  const { data } = await octokit.rest.pulls.get({ ...repoParamsOf(target), pull_number: run.number });
  const { node_id, state, draft = false } = data;
  if (state !== 'open') return;
  await setDraft(target, { node_id, open: true, draft }, 'draft');
  const labels = data.labels.map(({ name }) => name);
  const wanted = [...labels.filter((label) => !isOurLabel(label)), ourLabel, pausedLabel];
  if (wanted.every((label) => labels.includes(label)) && wanted.length === labels.length) return;
  await octokit.rest.issues.setLabels({
    ...repoParamsOf(target),
    issue_number: run.number,
    labels: wanted,
  });
}

const phase: Phase = 'paused';
const pausedLabel = `${ourLabel}:${phase}`;
