import { defineConfig } from 'vitest/config';
import { longSessions } from './test/setup/long.ts';
import { project, withBuilds } from './test/setup/project.ts';

export default defineConfig({
  test: {
    maxWorkers: 3,
    projects: [project('long', { include: longSessions, globalSetup: withBuilds })],
  },
});
