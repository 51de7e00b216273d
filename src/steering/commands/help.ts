import { alone, command } from './spec.ts';

/** Lists the commands. */
export const help = command<{ readonly type: 'help' }>()({
  ...alone('help'),
  summary: 'List all commands and mark those available now.',
  needs: 'read',
  isQuery: true,
});
