import { defineConfig } from 'vitest/config';
import { playsSessions, project } from './test/setup/project.ts';

/** Every story is played with every fault at every request, one session for each. */
export default defineConfig({
  test: {
    fileParallelism: false,
    projects: [project('chaos', { include: ['test/chaos/{chaos,action,scenes}.test.ts'], ...playsSessions })],
  },
});
