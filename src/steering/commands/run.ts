import type { CommandSpec } from './spec.ts';

export interface RunCommand {
  readonly type: 'run';
  readonly task: string;
}

/** Starts a run from an issue, or adopts a pull request. */
export const run: CommandSpec<RunCommand> = {
  name: 'run',
  usage: '/run <task>',
  summary: 'Start a run on this issue, or adopt this pull request and work on its branch.',
  needs: 'write',
  example: 'more',
  takesRest: true,
  parse: ({ body }) => ({ type: 'run', task: body }),
  print: ({ task }) => task,
};
