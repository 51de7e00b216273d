import { type CommandSpec, nothingElse } from './spec.ts';

/** Lists what can be said. */
export const help: CommandSpec<'help'> = {
  name: 'help',
  usage: '/help',
  summary: 'List what can be said now.',
  needs: 'read',
  parse: (said) => nothingElse(said, { type: 'help' }),
};
