import { type CommandSpec, nothingElse } from './spec.ts';

/** Renews the budget of attempts. */
export const retry: CommandSpec<'retry'> = {
  name: 'retry',
  usage: '/retry',
  summary: 'Try again: another attempt at the same iteration, with a fresh budget of attempts.',
  needs: 'write',
  parse: (said) => nothingElse(said, { type: 'retry' }),
};
