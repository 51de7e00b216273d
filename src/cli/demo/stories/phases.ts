import { approvedBy } from '../../../steering/approval/policy-finish.ts';
import { isInProgress, shownPhase } from '../../../steering/standing.ts';
import type { State } from '../../../steering/state.ts';
import type { Places } from './places.ts';
import type { Next, Runs, StoryStep } from './story.ts';

/** What all stories have in common. */

export const start: StoryStep = { text: 'Start', isDone: (runs) => runs.length > 0 };

export const merge: StoryStep = { text: 'Merge', isDone: (runs) => runs.some(isMerged) };

export function isMerged({ standing }: State): boolean {
  return standing.phase === 'done' && standing.merged;
}

/** Whether the agent has finished its first iteration. */
export function hasLanded({ iterations }: State): boolean {
  return iterations[0]?.landed === true;
}

/** Whether its head is approved, or was when it was merged. */
export function isApproved(state: State): boolean {
  const { phase } = state.standing;
  return phase === 'approved' || (phase === 'done' && approvedBy(state) !== '');
}

export function isAtWork({ standing }: State): boolean {
  return isInProgress(standing.phase);
}

export function newestOf(runs: Runs): State | undefined {
  return runs.at(-1);
}

/** It leaves draft only once the approval was compared with GitHub. */
function approved({ standing }: State, places: Places): Next {
  if (standing.phase === 'approved' && standing.finish === 'checking') {
    const comparing = { text: 'compares the approval with GitHub once more', href: places.run('way-on') };
    return { step: merge.text, words: ['Approved. Coxswain ', comparing, '.'] };
  }
  const box = { text: "on GitHub's side", href: places.mergeBox };
  return { step: merge.text, words: ['Approved, and ready for review: merge it ', box, '.'] };
}

/** For a run that is off the story, or over: what is true of each phase. */
export function offStory(run: State, places: Places): Next {
  const page = (text: string, part?: string) => ({ text, href: places.run(part) });
  const again = { text: 'Start another run', href: places.issue };
  switch (shownPhase(run)) {
    case 'queued':
    case 'working':
    case 'verifying':
      return { words: ['The agent or the verifiers are at work: ', page('watch them', 'at-work'), '.'] };
    case 'awaiting_approval':
      return { words: ['Off the story, and just as real: ', page('approve it, steer it or reject it'), '.'] };
    case 'awaiting_permission':
    case 'awaiting_resolution':
      return { words: [page('It asks a human', 'phase-details'), ' how to go on.'] };
    case 'paused':
    case 'timed_out':
    case 'failed':
      return { words: ['It has stopped: ', page('its page says why', 'phase-details'), '.'] };
    case 'approved':
      return approved(run, places);
    case 'rejected':
    case 'cancelled':
      return { words: ['This run has ended without a merge. ', again, ' to play the story to its end.'] };
    case 'done':
      return isMerged(run)
        ? { words: ['Merged. ', page('The record', 'record'), ' is what Git keeps of it.'] }
        : { words: ['Closed after its approval. ', again, ' to play the story to its end.'] };
  }
}
