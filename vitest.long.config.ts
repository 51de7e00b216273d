import { defineConfig } from 'vitest/config';
import { longSessions } from './test/setup/long.ts';
import { playsSessions, project } from './test/setup/project.ts';

export default defineConfig({
  test: {
    maxWorkers: 3,
    projects: [project('long', { include: longSessions, ...playsSessions, isolate: false })],
  },
});
