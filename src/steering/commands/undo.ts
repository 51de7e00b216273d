import { shortSha } from '../phrases/phrases.ts';
import type { PushByOther } from '../shapes/standing.ts';
import { command, type Wording } from './spec.ts';

interface UndoCommand {
  readonly type: 'undo';
  /** The iteration to go back to; null: the one before. */
  readonly to: number | null;
}

interface Undoing {
  readonly to: number;
  /** What else is undone, because others pushed it since. */
  readonly others: readonly PushByOther[];
}

const filesThen = 'the files as they were then';

/** Goes back to what an earlier iteration came to. */
export const undo = command<UndoCommand>()({
  usage: '/undo [n]',
  summary:
    `Go back to the result of iteration \`n\`, by default the previous one: a new commit has ${filesThen}, ` +
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
    /** The run is as its first iteration left it, or before. */
    nothing_to_undo: (_: unknown, { code }) =>
      'There is no earlier iteration to go back to. ' +
      `Use ${code('/steer')} to say what should be different, or ${code('/reject')}.`,
    /** `named` is the newest iteration or a later one. */
    no_earlier_iteration: ({ named, newest }: { named: number; newest: number }, { code }) =>
      `Iteration ${named} is not an earlier one: this is iteration ${newest}. ` +
      `Use ${code('/undo')} with a number from 0 to ${newest - 1}.`,
    undoes_others: ({ to, others }: Undoing, wording) =>
      `Going back to iteration ${to} would also undo what others pushed since: ${commitsOf(others, wording)}. ` +
      `If you want that, name the iteration: ${wording.code(`/undo ${to}`)}.`,
  },
  replies: {
    undoing: ({ to, others }: Undoing, wording) =>
      `Going back to iteration ${to}: a new commit will have ${filesThen}, and is verified.` +
      (others.length === 0
        ? ''
        : ` This also undoes what others pushed since: ${commitsOf(others, wording)}.`),
    not_undone: ({ to, why }: { to: number; why: string }, { code, plain }) =>
      `Could not go back to iteration ${to}: ${plain(why, 500)}. The head is verified as it is; ` +
      `if you still want to go back, use ${code(`/undo ${to}`)} again.`,
  },
});

const maxNamed = 5;

/** `abc1234 (bob) and def5678 (rea)` */
function commitsOf(others: readonly PushByOther[], { code, plain }: Wording): string {
  const named = others.slice(0, maxNamed).map(({ head, by }) => `${code(shortSha(head))} (${plain(by, 60)})`);
  const more = others.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
