import type { CommandSpec } from './spec.ts';

export interface UndoCommand {
  readonly type: 'undo';
  /** The iteration to go back to; null: the one before. */
  readonly to: number | null;
}

/** Goes back to what an earlier iteration came to. */
export const undo: CommandSpec<UndoCommand> = {
  name: 'undo',
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
};
