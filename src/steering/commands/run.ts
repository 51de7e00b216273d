import type { FormSpec, WordedSpec } from './spec.ts';

export interface RunCommand {
  readonly type: 'run';
  readonly task: string;
}

interface Refused {
  readonly already_running: { readonly number: number };
}

/** Starts a run from an issue, or adopts a pull request. */
export const run: WordedSpec<RunCommand, Refused> & FormSpec = {
  usage: '/run <task>',
  summary: 'Start a run on this issue, or adopt this pull request and work on its branch.',
  needs: 'write',
  form: {
    title: 'Describe the task in fields',
    note: 'What is left empty is as the issue says.',
    of: 'task',
  },
  example: 'more',
  takesRest: true,
  parse: ({ body }) => ({ type: 'run', task: body }),
  print: ({ task }) => task,
  refusals: {
    already_running: ({ number }, { code }) =>
      `A run for this issue is already in progress in #${number}. Use ${code('/steer')} there.`,
  },
};
