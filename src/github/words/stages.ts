import type { Progress } from '../../steering/progress.ts';

/** What an attempt is doing, beside other facts. */
export const stageTexts: { readonly [S in Progress['stage']]: string } = {
  setup: 'setting up',
  agent: 'the agent',
  verifiers: 'the verifiers',
};
