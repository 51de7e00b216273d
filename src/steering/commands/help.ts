import { alone, type CommandSpec } from './spec.ts';

/** Lists the commands. */
export const help: CommandSpec<{ readonly type: 'help' }> = {
  ...alone('help'),
  summary: 'List all commands and mark those available now.',
  needs: 'read',
};
