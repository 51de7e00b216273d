import { type CommandSpec, nothingElse } from './spec.ts';

/** Shows where the run stands. */
export const status: CommandSpec<'status'> = {
  name: 'status',
  usage: '/status',
  summary: 'Show where the run stands.',
  needs: 'read',
  parse: (said) => nothingElse(said, { type: 'status' }),
};
