import { defineConfig } from 'vitest/config';
import { longSessions } from './test/setup/long.ts';
import { MissingPrograms } from './test/setup/machine.ts';
import { playsSessions, project } from './test/setup/project.ts';

/** Everything that starts Apps, jobs or browsers, and mostly waits for them. */
const sessions = [
  'test/api/*.test.ts',
  'test/app/*.test.ts',
  'test/action/**/*.test.ts',
  'test/cli/demo/**/*.test.ts',
];

const all = 'test/**/*.test.ts';

/** What has a configuration of its own. */
const elsewhere = [
  'test/chaos/{chaos,action,scenes}.test.ts',
  'test/agents/**/*.test.ts',
  'test/mutants/claims.test.ts',
];

const exclude = [...longSessions, ...elsewhere];

/** `npm test` runs all projects but the long one, which `npm run test:long` runs. */
export default defineConfig({
  test: {
    maxWorkers: 3,
    reporters: ['default', new MissingPrograms()],
    // Of what runs in the tests' own processes: an App that is started as an operator starts it is not seen.
    coverage: {
      include: ['src/**/*.ts', 'packages/*/src/**/*.ts'],
      exclude: ['src/page/client/**', 'packages/forge/src/website/client/**'],
      reporter: ['text-summary', 'html'],
      thresholds: { lines: 91, statements: 89, branches: 79.5, functions: 92 },
    },
    projects: [
      // Importing everything anew for each file costs more than many of them do.
      project('session', { include: sessions, exclude, ...playsSessions, isolate: false }),
      project('unit', { include: [all], exclude: [...sessions, ...exclude], isolate: false }),
      project('long', { include: longSessions, ...playsSessions, isolate: false }),
    ],
  },
});
