import { shortSha } from '../phrases/short-sha.ts';
import type { PushByOther } from '../standing.ts';
import type { WordedSpec, Wording } from './spec.ts';

export interface UndoCommand {
  readonly type: 'undo';
  /** The iteration to go back to; null: the one before. */
  readonly to: number | null;
}

interface Undoing {
  readonly to: number;
  /** What else is undone, because others pushed it since. */
  readonly others: readonly PushByOther[];
}

interface Refused {
  /** The run is as its first iteration left it, or before. */
  readonly nothing_to_undo: unknown;
  /** `named` is the newest iteration or a later one. */
  readonly no_earlier_iteration: { readonly named: number; readonly newest: number };
  readonly undoes_others: Undoing;
}

interface Replied {
  readonly undoing: Undoing;
  readonly not_undone: { readonly to: number; readonly why: string };
}

/** Goes back to what an earlier iteration came to. */
export const undo: WordedSpec<UndoCommand, Refused, Replied> = {
  usage: '/undo [n]',
  summary:
    'Go back to what iteration `n` came to, by default the one before: a new commit has the files as they were then, ' +
    'and is verified. Work in progress is stopped; no history is rewritten.',
  needs: 'write',
  example: '',
  parse: ({ line }) => {
    if (line === '') return { type: 'undo', to: null };
    return /^\d{1,4}$/.test(line)
      ? { type: 'undo', to: Number(line) }
      : { problem: `expected the number of an iteration, as in \`/undo 1\`, got \`${line}\`` };
  },
  print: ({ to }) => `${to ?? ''}`,
  pointless: (_, { iteration }) => iteration === 0,
  refusals: {
    nothing_to_undo: (_, { code }) =>
      'There is no earlier iteration to go back to. ' +
      `Use ${code('/steer')} to say what should be different, or ${code('/reject')}.`,
    no_earlier_iteration: ({ named, newest }, { code }) =>
      `Iteration ${named} is not an earlier one: this is iteration ${newest}. ` +
      `Use ${code('/undo')} with a number from 0 to ${newest - 1}.`,
    undoes_others: ({ to, others }, wording) =>
      `Going back to iteration ${to} would also undo what others pushed since: ${commitsOf(others, wording)}. ` +
      `If you want that, name the iteration: ${wording.code(`/undo ${to}`)}.`,
  },
  replies: {
    undoing: ({ to, others }, wording) =>
      `Going back to iteration ${to}: a new commit will have the files as they were then, and is verified.` +
      (others.length === 0
        ? ''
        : ` This also undoes what others pushed since: ${commitsOf(others, wording)}.`),
    not_undone: ({ to, why }, { code, plain }) =>
      `Not gone back to iteration ${to}: ${plain(why, 500)}. The head is verified as it is; ` +
      `if you still want to go back, use ${code(`/undo ${to}`)} again.`,
  },
};

const maxNamed = 5;

/** `abc1234 (bob) and def5678 (rea)` */
function commitsOf(others: readonly PushByOther[], { code, plain }: Wording): string {
  const named = others.slice(0, maxNamed).map(({ head, by }) => `${code(shortSha(head))} (${plain(by, 60)})`);
  const more = others.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
