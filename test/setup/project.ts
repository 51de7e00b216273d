import type { TestProjectInlineConfiguration } from 'vitest/config';
import { textAssets } from '../../scripts/text-assets.mjs';
import { tags } from './machine.ts';

type TestOptions = NonNullable<TestProjectInlineConfiguration['test']>;

/** A test project with the options that all of them share. */
export function project(name: string, { env, ...test }: TestOptions): TestProjectInlineConfiguration {
  return {
    plugins: [textAssets()],
    test: {
      name,
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 60_000 } },
      tags,
      globalSetup: 'test/setup/run-folder.ts',
      // Tests start real Git, servers and children, which must not depend on the user's Git configuration.
      env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', ...env },
      ...test,
    },
  };
}

/**
 * For tests that run the App or the Action, and play whole sessions: both are built for them. Each wait has a
 * timeout that restarts with progress; that of the test only ends what never ends.
 */
export const playsSessions: TestOptions = {
  testTimeout: 15 * 60_000,
  hookTimeout: 15 * 60_000,
  globalSetup: ['test/setup/run-folder.ts', 'test/setup/builds.ts'],
};
