import { command } from './spec.ts';

/** Starts a run from an issue, or adopts a pull request. */
export const run = command<{ readonly type: 'run'; readonly task: string }>()({
  usage: '/run <task>',
  summary: 'Start a run on this issue, or adopt this pull request and work on its branch.',
  needs: 'write',
  form: {
    title: 'Describe the task in fields',
    note: 'Empty fields are taken from the issue.',
    of: 'task',
  },
  example: 'more',
  takesRest: true,
  parse: ({ body }) => ({ type: 'run', task: body }),
  print: ({ task }) => task,
  refusals: {
    already_running: ({ number }: { number: number }, { code }) =>
      `A run for this issue is already in progress in #${number}. Use ${code('/steer')} there.`,
  },
});
