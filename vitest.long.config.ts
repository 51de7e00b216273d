import { defineConfig } from 'vitest/config';
import { longSessions } from './test/setup/long.ts';
import { long, playsSessions, project } from './test/setup/project.ts';

/** As in the other configuration: what one of these files learns about the machine must not serve the next. */
const isolated = longSessions.filter((path) => /^test\/(?:agent|network)\//.test(path));
const sessions = longSessions.filter((path) => !isolated.includes(path));

export default defineConfig({
  test: {
    maxWorkers: 3,
    projects: [
      project('long', { include: sessions, ...playsSessions, isolate: false }),
      project('isolated', { include: isolated, ...long }),
    ],
  },
});
