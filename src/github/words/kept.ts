import type { AttemptRecord, State } from '../../steering/state.ts';
import { under } from './format.ts';
import { code } from './sanitize.ts';

const maxListed = 5;

/** Where the work of this iteration is that did not get onto the branch; empty if all of it did. */
export function keptText({ attempts }: Pick<State, 'attempts'>): string {
  const refused = attempts.filter(({ failure }) => isRefused(failure)).slice(-maxListed);
  const lines = refused.map(({ attempt, kept_ref }) =>
    kept_ref === undefined
      ? `- Attempt ${attempt}: only the machine where the agent ran can still have it.`
      : `- Attempt ${attempt}: ${code(`git fetch origin ${kept_ref}`)}, then ${code(`git cherry-pick ${commitIn(kept_ref)}`)}.`,
  );
  return under('**Work that is not on the branch**', lines);
}

/** The ref is named after it. What the ref points to by now, whoever may push can have chosen. */
function commitIn(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

function isRefused(failure: AttemptRecord['failure']): boolean {
  return failure?.kind === 'push_refused' || failure?.kind === 'branch_moved';
}
