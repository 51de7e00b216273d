import { alone, type CommandSpec } from './spec.ts';

/** Shows where the run stands. */
export const status: CommandSpec<{ readonly type: 'status' }> = {
  ...alone('status'),
  summary: 'Show where the run stands.',
  needs: 'read',
};
