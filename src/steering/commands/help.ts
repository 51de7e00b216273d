import { type CommandSpec, nothingElse } from './spec.ts';

export interface HelpCommand {
  readonly type: 'help';
}

/** Lists the commands. */
export const help: CommandSpec<HelpCommand> = {
  name: 'help',
  usage: '/help',
  summary: 'List all commands and mark those available now.',
  needs: 'read',
  parse: (given) => nothingElse(given, { type: 'help' }),
};
