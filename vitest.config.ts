import { defineConfig } from 'vitest/config';
import { project, withBuilds } from './test/setup/project.ts';

/** Everything that starts Apps, jobs or browsers, and mostly waits for them. */
const sessions = [
  'test/app/*.test.ts',
  'test/action/**/*.test.ts',
  'test/chaos/kills.test.ts',
  'test/cli/demo/**/*.test.ts',
  'test/runs/**/*.test.ts',
  'test/page/browser.test.ts',
];

/** Without servers, children and nock: files that leave nothing behind in the worker for the next one. */
const pure = [
  'test/{config,gates,steering,text}/**/*.test.ts',
  'test/github/{events,markdown,words}/**/*.test.ts',
];

const all = 'test/**/*.test.ts';

export default defineConfig({
  test: {
    maxWorkers: 3,
    // Of what runs in the tests' own processes: an App that is started as an operator starts it is not seen.
    coverage: {
      include: ['src/**/*.ts', 'packages/*/src/**/*.ts'],
      exclude: ['src/page/client/**'],
      reporter: ['text-summary', 'html'],
      thresholds: { lines: 91, statements: 89, branches: 79.5, functions: 92 },
    },
    projects: [
      project('session', { include: sessions, globalSetup: withBuilds }),
      project('unit', { include: [all], exclude: [...sessions, ...pure] }),
      project('pure', { include: pure, isolate: false }),
    ],
  },
});
