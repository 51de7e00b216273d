import { type CommandSpec, nothingElse } from './spec.ts';

/** Starts another attempt with a fresh budget. */
export const retry: CommandSpec<'retry'> = {
  name: 'retry',
  usage: '/retry',
  summary: 'Start another attempt at the same iteration, with a fresh budget of attempts.',
  needs: 'write',
  parse: (said) => nothingElse(said, { type: 'retry' }),
};
