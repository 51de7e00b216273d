import { type CommandSpec, nothingElse } from './spec.ts';

export interface WhyCommand {
  readonly type: 'why';
}

/** Says what is missing for the next step, and explains the confidence score. */
export const why: CommandSpec<WhyCommand> = {
  name: 'why',
  usage: '/why',
  summary: 'Say what the next step needs, and explain the confidence score, the risk and the proof.',
  needs: 'read',
  parse: (given) => nothingElse(given, { type: 'why' }),
};
