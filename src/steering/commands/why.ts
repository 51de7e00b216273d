import { type CommandSpec, nothingElse } from './spec.ts';

export interface WhyCommand {
  readonly type: 'why';
}

/** Explains the confidence score and the decision. */
export const why: CommandSpec<WhyCommand> = {
  name: 'why',
  usage: '/why',
  summary: 'Explain the confidence score: its components, weights and evidence.',
  needs: 'read',
  parse: (given) => nothingElse(given, { type: 'why' }),
};
