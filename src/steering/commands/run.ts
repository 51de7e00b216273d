import type { CommandSpec } from './spec.ts';

/** Starts a run from an issue, or adopts a pull request. */
export const run: CommandSpec<'run'> = {
  name: 'run',
  usage: '/run <task>',
  summary: 'Start a run on this issue, or adopt this pull request and work on its branch.',
  needs: 'write',
  parse: ({ body }) => ({ type: 'run', task: body }),
};
