import type { TestProjectInlineConfiguration } from 'vitest/config';
import { textAssets } from '../../scripts/text-assets.mjs';

type TestOptions = NonNullable<TestProjectInlineConfiguration['test']>;

/** A test project with the options that all of them share. */
export function project(name: string, { env, ...test }: TestOptions): TestProjectInlineConfiguration {
  return {
    plugins: [textAssets()],
    test: {
      name,
      testTimeout: 30_000,
      hookTimeout: 30_000,
      globalSetup: 'test/setup/run-folder.ts',
      // Tests start real Git, servers and children, which must not depend on the user's Git configuration.
      env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', ...env },
      ...test,
    },
  };
}

/**
 * For tests that run the App or the Action, and play whole sessions. Each wait in them has its own timeout,
 * which restarts with progress; this one only ends what never ends.
 */
export const playsSessions: TestOptions = {
  globalSetup: ['test/setup/run-folder.ts', 'test/setup/builds.ts'],
  testTimeout: 15 * 60_000,
  hookTimeout: 15 * 60_000,
};
