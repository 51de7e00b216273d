import { readTasks } from '../../src/github/markdown/task-blocks.ts';
import { type Command, parseSlashCommand } from '../../src/steering/commands/index.ts';
import type { State, SteeringIteration } from '../../src/steering/state/state.ts';

/** Parses a comment with one command, as `translate` does; undefined if it is not one of ours. */
export function commandIn(text: string): Command | undefined {
  const [, word = '', rest = ''] = /^\/(\S+)([\s\S]*)$/.exec(text) ?? [];
  return parseSlashCommand(
    { word, line: (rest.split('\n', 1)[0] ?? '').trim(), body: rest.trim() },
    readTasks,
  );
}

/** The same; throws if it is not one of ours. */
export function parseCommand(text: string): Command {
  const command = commandIn(text);
  if (command === undefined) throw new Error(`"${text}" is not a command`);
  return command;
}

/** The iterations requested by steers; iteration 0 is the task itself. */
export function historyOf({ iterations }: State): readonly SteeringIteration[] {
  return iterations.filter(({ iteration_number }) => iteration_number > 0);
}
