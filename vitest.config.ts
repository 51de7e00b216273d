import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { textAssets } from './scripts/text-assets.mjs';

/** Everything else is a session: it starts Apps, jobs or browsers, and mostly waits for them. */
const sessions = [
  'test/app/*.test.ts',
  'test/action/**/*.test.ts',
  'test/cli/demo/**/*.test.ts',
  'test/runs/**/*.test.ts',
  'test/page/browser.test.ts',
];

/** Without servers, children and nock: files that leave nothing behind in the worker for the next one. */
const pure = [
  'test/{config,gates,steering}/**/*.test.ts',
  'test/github/{events,markdown,words}/**/*.test.ts',
];

const all = 'test/**/*.test.ts';

function project(
  name: string,
  test: Partial<TestProjectInlineConfiguration['test']>,
): TestProjectInlineConfiguration {
  return {
    plugins: [textAssets()],
    test: {
      name,
      testTimeout: 30_000,
      hookTimeout: 30_000,
      globalSetup: 'test/setup/run-folder.ts',
      // Tests start real Git, real servers and real children; a cleaned environment keeps them honest.
      env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
      ...test,
    },
  };
}

export default defineConfig({
  test: {
    maxWorkers: 3,
    projects: [
      project('session', {
        include: sessions,
        globalSetup: ['test/setup/run-folder.ts', 'test/setup/builds.ts'],
      }),
      project('unit', { include: [all], exclude: [...sessions, ...pure] }),
      project('pure', { include: pure, isolate: false }),
    ],
  },
});
