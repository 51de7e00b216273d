import type { SetAside, State } from '../../steering/state.ts';
import { shortSha } from '../../steering/words/short-sha.ts';
import type { IssueContext } from '../issue-context.ts';
import { instructions } from './check-failure.ts';
import { delimited, fileList, list, newest, paragraphs, quoted } from './text.ts';

const maxHits = 50;
const maxFilesLength = 2_000;

/** What became of work that was held and is not in the working tree; null if there is none. */
export function heldWork(state: State, context: IssueContext | undefined): string | null {
  const { set_aside } = state;
  if (set_aside === undefined) return null;
  return set_aside.denied === undefined ? mention(set_aside) : denial(state, set_aside, context);
}

/** Where a failed check would have its feedback. */
function denial(state: State, set_aside: SetAside, context: IssueContext | undefined): string {
  const { by = '', why = '' } = set_aside.denied ?? {};
  return paragraphs(
    '--- FEEDBACK ---',
    "Your previous attempt at 'implement' was not allowed.",
    delimited('ORIGINAL INSTRUCTIONS', instructions(state, context)),
    whatWasHeld(set_aside),
    why === '' ? `@${by} denied it without a reason.` : `@${by} denied it: ${quoted(why)}`,
    'Satisfy the original instructions without what was not allowed.',
    '--- END FEEDBACK ---',
    'Analyse the feedback above, then continue the work in this working tree.',
  );
}

function mention(set_aside: SetAside): string {
  return paragraphs('### Held Work', whatWasHeld(set_aside), 'Repeat only what is still needed of it.');
}

function whatWasHeld({ work, hits }: SetAside): string {
  const files = newest(fileList(work.changes), maxFilesLength);
  return paragraphs(
    `An earlier change (commit ${shortSha(work.head)}: ${files}) was held and is not in the working tree.` +
      ' These rules held it:',
    list(hits.slice(0, maxHits).map(({ rule, evidence }) => `${rule}: ${evidence}`)),
  );
}
