import { type CommandSpec, nothingElse } from './spec.ts';

export interface RetryCommand {
  readonly type: 'retry';
}

/** Starts another attempt with a fresh budget. */
export const retry: CommandSpec<RetryCommand> = {
  name: 'retry',
  usage: '/retry',
  summary: 'Start another attempt at the same iteration, with a fresh budget of attempts.',
  needs: 'write',
  parse: (given) => nothingElse(given, { type: 'retry' }),
};
