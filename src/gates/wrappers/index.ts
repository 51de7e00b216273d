import type { Command, Inner } from '../shell/command.ts';
import { builtins } from './builtins.ts';
import { eachFound } from './find.ts';
import { startedByScripts } from './scripts.ts';
import { shellScript, shells } from './shells.ts';
import { unwrapped } from './unwrap.ts';

/** The commands that a command starts in its turn, as far as its arguments and its input say. */
export function innerCommands(command: Command): readonly Inner[] {
  const { program } = command;
  if (shells.has(program)) return shellScript(command);
  const special = builtins[program] ?? eachFound[program];
  return [...(special?.(command) ?? []), ...unwrapped(command), ...startedByScripts(command)];
}
