import type { Phase } from '../../steering/state.ts';
import { setDraft } from '../write/draft.ts';
import { type Place, repositoryOf } from '../write/pull-target.ts';
import { isOurLabel, ourLabel } from './view.ts';

/**
 * Shows a run whose state nobody knows as held: a draft, which cannot be merged, with the label that says
 * so. Its body stays as it is, for that is all that is left of the run.
 */
export async function showHeld(place: Place): Promise<void> {
  const { octokit, run } = place;
  const { data } = await octokit.rest.pulls.get({ ...repositoryOf(place), pull_number: run.number });
  const { node_id, state, draft = false } = data;
  if (state !== 'open') return;
  await setDraft(place, { node_id, open: true, draft }, 'draft');
  const labels = data.labels.map(({ name }) => name);
  const wanted = [...labels.filter((label) => !isOurLabel(label)), ourLabel, held];
  if (wanted.every((label) => labels.includes(label)) && wanted.length === labels.length) return;
  await octokit.rest.issues.setLabels({
    ...repositoryOf(place),
    issue_number: run.number,
    labels: wanted,
  });
}

const phase: Phase = 'paused';
const held = `${ourLabel}:${phase}`;
