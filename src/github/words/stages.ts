import type { Progress, Trial } from '../../steering/progress.ts';

const stageTexts: { readonly [S in Progress['stage']]: string } = {
  setup: 'setting up',
  agent: 'the agent',
  verifiers: 'the verifiers',
};

/** What the verifiers run on, where that is not the change. */
export const trialTexts: { readonly [T in Trial]: string } = {
  old_tests: 'once more with the old tests',
  without_change: 'once more with the new tests, without the change',
  baseline: 'once more on the base, without the change',
};

/** What an attempt is doing, beside other facts. */
export function stageText({ stage, trial }: Pick<Progress, 'stage' | 'trial'>): string {
  return trial === undefined ? stageTexts[stage] : `${stageTexts[stage]} ${trialTexts[trial]}`;
}

/** Where the process that answers is not the one that works. */
export const notSeen = 'not seen from here, because another process does the work';
