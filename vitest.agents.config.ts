import { defineConfig } from 'vitest/config';
import { playsSessions, project } from './test/setup/project.ts';

/**
 * Real agents, one at a time: each is installed from the registry of npm, and driven against a scripted model.
 * COXSWAIN_TEST_ONLY names those to test, with commas; COXSWAIN_TEST_AGENTS is where they are installed, by
 * default `.coxswain/agents`.
 */
export default defineConfig({
  test: {
    maxWorkers: 1,
    fileParallelism: false,
    projects: [
      project('agents', {
        include: ['test/agents/**/*.test.ts'],
        ...playsSessions,
      }),
    ],
  },
});
