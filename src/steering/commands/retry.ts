import type { TaskChanges } from '../shapes/task.ts';
import { command, nothingElse, oneTask } from './spec.ts';

interface RetryCommand {
  readonly type: 'retry';
  /** The id of the task, if it is named. */
  readonly task_id?: string;
  /** The interrupt that its block was made for, if it is named. */
  readonly interrupt?: string;
  /** What the task is from now on; absent: what it was. */
  readonly changes?: TaskChanges;
}

/** Starts another attempt with a fresh budget of attempts, at a task that may be put in other words. */
export const retry = command<RetryCommand>()({
  usage: '/retry [a block that changes the task]',
  summary:
    'Start another attempt at the same iteration, with a fresh budget of attempts. ' +
    'A fenced `coxswain` block changes the words, the criteria or the agent.',
  needs: 'write',
  button: { label: 'Try again' },
  form: {
    title: 'Retry Task (with modifications)',
    note: 'The attempt count starts over. What you do not change stays as it is.',
    of: 'task',
  },
  example: '',
  parse: (given, readTasks) => {
    const read = readTasks(given.body);
    if (read === undefined) return nothingElse(given, { type: 'retry' });
    if ('problem' in read) return read;
    const task = oneTask(read.tasks);
    if ('problem' in task) return task;
    const { task_id, interrupt, name: _, carry: __, ...changes } = task;
    return {
      type: 'retry',
      ...(task_id !== undefined && { task_id }),
      ...(interrupt !== undefined && { interrupt }),
      ...(Object.keys(changes).length > 0 && { changes }),
    };
  },
  tasks: ({ type: _, changes, ...named }) => [{ ...named, ...changes }],
});
