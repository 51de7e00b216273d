import { cycleIn, type SpawnedTask } from '../shapes/task.ts';
import { command, type Problem, type WrittenTask } from './spec.ts';

interface SpawnCommand {
  readonly type: 'spawn';
  /** The id of the task that they replace, if it is named. */
  readonly task_id?: string;
  /** The interrupt that its block was made for, if it is named. */
  readonly interrupt?: string;
  /** None: what they are is still to be said. */
  readonly tasks: readonly SpawnedTask[];
}

/** How many tasks may take the place of one. */
const maxTasks = 10;

/** Replaces a failed task by other ones. */
export const spawn = command<SpawnCommand>()({
  usage: '/spawn <what to do instead, or a block with one to ten tasks>',
  summary:
    'Replace the task that failed or is under review with another one, or with several: documents of one fenced `coxswain` block, ' +
    'separated by `---`, which may name each other under `depends_on`.',
  needs: 'write',
  form: {
    title: 'Create New Task (replaces failed task)',
    note: 'The new tasks get runs of their own; then this one is closed. What you do not change is inherited.',
    of: 'tasks',
  },
  example: 'do less',
  takesRest: true,
  parse: ({ body }, readTasks) => {
    const read = readTasks(body);
    if (read === undefined)
      return { type: 'spawn', tasks: body === '' ? [] : [named({ description: body }, 0)] };
    if ('problem' in read) return read;
    return spawned(read.tasks);
  },
  tasks: ({ type: _, tasks: [first, ...others], ...about }) =>
    first === undefined ? [] : [{ ...about, ...first }, ...others],
});

function spawned(written: readonly WrittenTask[]): SpawnCommand | Problem {
  if (written.length > maxTasks)
    return { problem: `at most ${maxTasks} tasks can take the place of one, got ${written.length}` };
  const tasks = written.map((task, index) => named(task, index));
  const problems = [...withoutDescription(tasks), ...doubleNames(tasks), ...wrongDependencies(tasks)];
  if (problems.length > 0) return { problem: problems.join('\n') };
  const said = (key: 'task_id' | 'interrupt') => {
    const value = written.find((task) => task[key] !== undefined)?.[key];
    return value === undefined ? {} : { [key]: value };
  };
  return { type: 'spawn', tasks, ...said('task_id'), ...said('interrupt') };
}

/**
 * Whoever does not name a task has it named after its words: one that was made before under its name is not
 * made again, and other words are another task.
 */
function named(
  { task_id: _, interrupt: __, name, description = '', ...task }: WrittenTask,
  index: number,
): SpawnedTask {
  const words = description.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const slug = words.join('-').slice(0, 40).replace(/-$/, '');
  return { ...task, description, name: name ?? (slug || `task-${index + 1}`) };
}

function withoutDescription(tasks: readonly SpawnedTask[]): readonly string[] {
  return tasks.flatMap(({ description }, index) =>
    description.trim() === ''
      ? [`task ${index + 1} needs a \`description\`, such as \`description: Split the parser out\``]
      : [],
  );
}

function doubleNames(tasks: readonly SpawnedTask[]): readonly string[] {
  const double = tasks.find(({ name }, index) => tasks.findIndex((each) => each.name === name) < index);
  if (double === undefined) return [];
  return [`two tasks have the name \`${double.name}\`: expected a \`name\` of its own for each`];
}

/** Names of tasks that are not there, and ways through them that come back to where they began. */
function wrongDependencies(tasks: readonly SpawnedTask[]): readonly string[] {
  const dependencies = new Map(tasks.map(({ name, depends_on = [] }) => [name, depends_on]));
  const unknown = tasks.flatMap(({ name, depends_on = [] }) =>
    depends_on
      .filter((each) => !each.startsWith('#') && !dependencies.has(each))
      .map((each) => `\`${name}\` depends on \`${each}\`, and no task in the same block has that name`),
  );
  const cycle = cycleIn(dependencies);
  if (cycle === undefined) return unknown;
  const [first] = cycle;
  const way = cycle.map((each) => `\`${each}\``).join(' → ');
  const problem = cycle.length === 2 ? `\`${first}\` depends on itself` : `they depend on each other: ${way}`;
  return [...unknown, problem];
}
