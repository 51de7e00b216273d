import { type CommandSpec, nothingElse } from './spec.ts';

/** Explains the score and the decision. */
export const why: CommandSpec<'why'> = {
  name: 'why',
  usage: '/why',
  summary: 'Explain the confidence: its components, weights and evidence.',
  needs: 'read',
  parse: (said) => nothingElse(said, { type: 'why' }),
};
