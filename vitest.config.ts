import { defineConfig } from 'vitest/config';
import { textAssets } from './scripts/text-assets.mjs';

export default defineConfig({
  plugins: [textAssets()],
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Tests start real Git, real servers and real children; a cleaned environment keeps them honest.
    env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  },
});
