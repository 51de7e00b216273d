import type { AttemptRecord, State } from '../../steering/state.ts';
import { failedText, outcomeTexts } from './phrases.ts';
import { code, codeInCell, plain, under } from './sanitize.ts';

/** The attempts so far in this iteration, so that nobody has to guess what was tried. */
export function attemptsText({ attempts }: State): string {
  if (attempts.length === 0) return '';
  const rows = attempts.slice(-20).map(({ attempt, outcome, failure, summary, verifiers }) => {
    const failing = failedText(verifiers, { passed: outcome === 'green', name: codeInCell });
    const said = summary === '' ? '' : `the agent says: ${plain(summary, 200)}`;
    const why = failure === null ? failing || said : plain(failure.message, 200);
    return `| ${attempt} | ${outcomeTexts[outcome]} | ${why} |`;
  });
  return ['| attempt | outcome | why |', '|---|---|---|', ...rows].join('\n');
}

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
