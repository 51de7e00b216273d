import { type CommandSpec, nothingElse } from './spec.ts';

/** Answers where the run stands. */
export const status: CommandSpec<'status'> = {
  name: 'status',
  usage: '/status',
  summary: 'Say where the run stands.',
  needs: 'read',
  parse: (said) => nothingElse(said, { type: 'status' }),
};
