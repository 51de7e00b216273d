import { defineConfig } from 'vitest/config';
import { project } from './test/setup/project.ts';

const { COXSWAIN_RANDOM_EVENTS: events = '2000000', COXSWAIN_RANDOM_SEED: seed } = process.env;

/** Millions of random events around a run; the unit tests play two thousand of them, and `.ci/run` many more. */
export default defineConfig({
  test: {
    projects: [
      project('random', {
        include: ['test/steering/model/sequences.test.ts'],
        testTimeout: 24 * 60 * 60_000,
        env: { COXSWAIN_RANDOM_EVENTS: events, ...(seed !== undefined && { COXSWAIN_RANDOM_SEED: seed }) },
      }),
    ],
  },
});
