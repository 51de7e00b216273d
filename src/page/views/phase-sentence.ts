import { asItStands, decisionCheck, literal } from '../../github/words/index.ts';
import { type DueWork, isAwaitingChecks } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import { shortSha } from '../../steering/words/short-sha.ts';

/** Where the run stands, in a sentence that is true as long as the phase lasts. */
export function phaseSentence(state: State): string {
  const { standing, iteration, head } = state;
  switch (standing.phase) {
    case 'queued':
      return dueText(standing, state);
    case 'working':
      if (standing.asking !== undefined) return decisionCheck(state, '').title;
      return standing.held === undefined
        ? `Iteration ${iteration}, attempt ${state.attempt} is at work`
        : 'The allowed work is being put on the branch';
    case 'verifying':
      if (isAwaitingChecks(standing)) return `CI has still to check ${shortSha(head)}`;
      return standing.undoes === undefined
        ? `The verifiers are checking ${shortSha(head)}`
        : `It is going back to iteration ${standing.undoes.to}`;
    case 'awaiting_resolution':
      return ['It cannot go on without a human', asItStands(state, literal)]
        .filter((part) => part !== '')
        .join('; ');
    case 'awaiting_approval':
    case 'awaiting_permission':
    case 'paused':
    case 'approved':
    case 'done':
    case 'rejected':
    case 'cancelled':
    case 'timed_out':
    case 'failed':
      return decisionCheck(state, '').title;
  }
}

/** It begins at once, unless all places are taken or no process is there to do it. */
function dueText(due: DueWork, { iteration, attempt, head }: State): string {
  if ('undoes' in due && due.undoes !== undefined)
    return `It goes back to iteration ${due.undoes.to} as soon as there is room`;
  switch (due.work) {
    case 'attempt':
      return `Iteration ${iteration}, attempt ${attempt + 1} begins as soon as there is room`;
    case 'verify_attempt':
    case 'verify_head':
      return `The verifiers check ${shortSha(head)} as soon as there is room`;
    case 'land':
      return 'The allowed work is put on the branch as soon as there is room';
  }
}
