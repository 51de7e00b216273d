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
  parse: (given) => {
    // Whoever changes settings beside it expects them to count.
    if (/^ {0,3}(?:```|~~~)/m.test(given.body))
      return {
        problem:
          '`/retry` takes no settings: what it is to do goes into `/steer`, the rest into the configuration',
      };
    return nothingElse(given, { type: 'retry' });
  },
};
