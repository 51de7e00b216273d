import { alone, command } from './spec.ts';

/** Shows where the run stands. */
export const status = command<{ readonly type: 'status' }>()({
  ...alone('status'),
  summary: 'Show where the run stands.',
  needs: 'read',
  isQuery: true,
});
