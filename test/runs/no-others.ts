import type { OtherRuns } from '../../src/runs/run/run.ts';

/** For runs that have nothing to do with others. */
export const noOthers: OtherRuns = {
  spawn: async () => undefined,
  closeIssue: async () => undefined,
  dependenciesOf: async () => ({ on: [], problems: [] }),
  linksOf: async () => ({}),
  wake: async () => undefined,
  lookAgain: async () => undefined,
};
