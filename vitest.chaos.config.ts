import { defineConfig } from 'vitest/config';
import { playsSessions, project } from './test/setup/project.ts';

const { COXSWAIN_CHAOS_EVERY: every = '1' } = process.env;

/** The App is killed at every moment of a session, one session for each. */
export default defineConfig({
  test: {
    projects: [
      project('chaos', {
        include: ['test/chaos/chaos.test.ts'],
        ...playsSessions,
        env: { COXSWAIN_CHAOS_EVERY: every },
      }),
    ],
  },
});
