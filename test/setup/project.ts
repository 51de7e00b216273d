import type { TestProjectInlineConfiguration } from 'vitest/config';
import { textAssets } from '../../scripts/text-assets.mjs';

type TestOptions = NonNullable<TestProjectInlineConfiguration['test']>;

/** What all tests have in common. */
export function project(name: string, { env, ...test }: TestOptions): TestProjectInlineConfiguration {
  return {
    plugins: [textAssets()],
    test: {
      name,
      testTimeout: 30_000,
      hookTimeout: 30_000,
      globalSetup: 'test/setup/run-folder.ts',
      // Tests start real Git, real servers and real children; a cleaned environment keeps them honest.
      env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', ...env },
      ...test,
    },
  };
}

/** For whatever runs the App or the Action. */
export const withBuilds = ['test/setup/run-folder.ts', 'test/setup/builds.ts'];
