import { defineConfig } from 'vitest/config';
import { project } from './test/setup/project.ts';

/** Real agents, one at a time: each is installed from the registry of npm, and driven against a scripted model. */
export default defineConfig({
  test: {
    maxWorkers: 1,
    fileParallelism: false,
    projects: [
      project('agents', {
        include: ['test/agents/**/*.test.ts'],
        testTimeout: 3 * 60_000,
        hookTimeout: 12 * 60_000,
      }),
    ],
  },
});
