import { command } from './spec.ts';

/** Merges the base into the branch. */
export const update = command<{ readonly type: 'update'; readonly resolve?: true }>()({
  usage: '/update [--resolve]',
  summary:
    'Merge the base into the branch, once work in progress is finished; the new head is verified. ' +
    '`--resolve` lets the agent resolve conflicts, in one attempt.',
  needs: 'write',
  button: { label: 'Update from base' },
  example: '',
  parse: ({ line }) => {
    if (line === '') return { type: 'update' };
    return line === '--resolve'
      ? { type: 'update', resolve: true }
      : { problem: `expected \`--resolve\` or nothing, got \`${line}\`` };
  },
  print: ({ resolve }) => (resolve ? '--resolve' : ''),
  pointless: ({ why }) => why === 'updating_already',
  refusals: {
    /** `waits`: it has not begun yet. */
    updating_already: ({ base, waits }: { base: string; waits: boolean }, { code }) =>
      `${code(base)} ${waits ? 'will be merged once the work in progress is finished' : 'is being merged already'}. ` +
      `Nothing else is needed; ${code('/update --resolve')} also lets the agent resolve conflicts.`,
  },
  replies: {
    updating: ({ base }: { base: string }, { code }) =>
      `Merging ${code(base)} into the branch. The new head is then verified, and has to be approved.`,
    update_waits: ({ base }: { base: string }, { code }) =>
      `${code(base)} is merged into the branch once the work in progress is finished.`,
    up_to_date: ({ base }: { base: string }, { code }) =>
      `The branch already has everything of ${code(base)}, so nothing has changed.`,
  },
});
