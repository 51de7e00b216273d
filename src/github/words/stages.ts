import type { Progress } from '../../steering/progress.ts';

/** What an attempt is doing, beside other facts. */
export const stageTexts: { readonly [S in Progress['stage']]: string } = {
  setup: 'setting up',
  agent: 'the agent',
  verifiers: 'the verifiers',
};

/** Where the process that answers is not the one that works. */
export const notSeen = 'not seen from here, because another process does the work';
