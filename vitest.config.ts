import { defineConfig } from 'vitest/config';
import { longSessions } from './test/setup/long.ts';
import { playsSessions, project } from './test/setup/project.ts';

/** Everything that starts Apps, jobs or browsers, and mostly waits for them. */
const sessions = [
  'test/app/*.test.ts',
  'test/action/**/*.test.ts',
  'test/cli/demo/**/*.test.ts',
  'test/runs/**/*.test.ts',
  'test/page/browser.test.ts',
];

/** What one of these files learns about the machine, or about GitHub, must not serve the next one. */
const isolated = [
  'test/agent/**/*.test.ts',
  'test/github/show/**/*.test.ts',
  'test/network/programs/**/*.test.ts',
];

const all = 'test/**/*.test.ts';

/** What has a script of its own. */
const elsewhere = [...longSessions, 'test/chaos/{chaos,action}.test.ts', 'test/agents/**/*.test.ts'];

export default defineConfig({
  test: {
    maxWorkers: 3,
    // Of what runs in the tests' own processes: an App that is started as an operator starts it is not seen.
    coverage: {
      include: ['src/**/*.ts', 'packages/*/src/**/*.ts'],
      exclude: ['src/page/client/**', 'packages/forge/src/website/client/**'],
      reporter: ['text-summary', 'html'],
      thresholds: { lines: 91, statements: 89, branches: 79.5, functions: 92 },
    },
    projects: [
      // Importing everything anew for each file costs more than many of them do.
      project('session', { include: sessions, exclude: elsewhere, ...playsSessions, isolate: false }),
      project('unit', { include: [all], exclude: [...sessions, ...isolated, ...elsewhere], isolate: false }),
      project('isolated', { include: isolated, exclude: elsewhere }),
    ],
  },
});
