import { type CommandSpec, nothingElse } from './spec.ts';

/** Lists the commands. */
export const help: CommandSpec<'help'> = {
  name: 'help',
  usage: '/help',
  summary: 'List all commands and mark those available now.',
  needs: 'read',
  parse: (said) => nothingElse(said, { type: 'help' }),
};
