import { type CommandSpec, nothingElse } from './spec.ts';

export interface StatusCommand {
  readonly type: 'status';
}

/** Shows where the run stands. */
export const status: CommandSpec<StatusCommand> = {
  name: 'status',
  usage: '/status',
  summary: 'Show where the run stands.',
  needs: 'read',
  parse: (given) => nothingElse(given, { type: 'status' }),
};
