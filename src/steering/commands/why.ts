import { alone, command } from './spec.ts';

/** Says what is missing for the next step, and explains the confidence score. */
export const why = command<{ readonly type: 'why' }>()({
  ...alone('why'),
  summary: 'Say what the next step needs, and explain the confidence score, the risk and the proof.',
  needs: 'read',
  isQuery: true,
});
