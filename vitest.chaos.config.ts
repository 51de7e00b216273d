import { defineConfig } from 'vitest/config';
import { textAssets } from './scripts/text-assets.mjs';

/** `npm run test:chaos`: the App is killed at every moment of a session, not only at some. */
export default defineConfig({
  plugins: [textAssets()],
  test: {
    include: ['test/app/chaos.test.ts'],
    globalSetup: ['test/setup/run-folder.ts', 'test/setup/builds.ts'],
    env: {
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      COXSWAIN_CHAOS_EVERY: process.env['COXSWAIN_CHAOS_EVERY'] ?? '1',
    },
  },
});
