import { defineConfig } from 'vitest/config';
import { longSessions } from './test/setup/long.ts';
import { MissingPrograms } from './test/setup/machine.ts';
import { long, playsSessions, project } from './test/setup/project.ts';

/** Everything that starts Apps, jobs or browsers, and mostly waits for them. */
const sessions = [
  'test/api/*.test.ts',
  'test/app/*.test.ts',
  'test/action/**/*.test.ts',
  'test/cli/demo/**/*.test.ts',
];

/** Runs in the tests' own process: nothing has to be built for them. */
const runs = ['test/runs/**/*.test.ts'];

/** What one of these files learns about the machine, or about GitHub, must not serve the next one. */
const isolated = [
  'test/agent/**/*.test.ts',
  'test/github/show/**/*.test.ts',
  'test/network/programs/**/*.test.ts',
];

const all = 'test/**/*.test.ts';

/** What has a configuration of its own. */
const elsewhere = [
  'test/chaos/{chaos,action,scenes}.test.ts',
  'test/agents/**/*.test.ts',
  'test/mutants/claims.test.ts',
];

const longIn = (folders: RegExp) => longSessions.filter((path) => folders.test(path));
const longRuns = longIn(/^test\/runs\//);
const longIsolated = longIn(/^test\/(?:agent|network)\//);
const exclude = [...longSessions, ...elsewhere];

/** `npm test` runs all projects but the long ones, which `npm run test:long` runs. */
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
      project('runs', { include: runs, exclude, ...long, isolate: false }),
      project('unit', {
        include: [all],
        exclude: [...sessions, ...runs, ...isolated, ...exclude],
        isolate: false,
      }),
      project('isolated', { include: isolated, exclude }),
      project('long', {
        include: longSessions,
        exclude: [...longRuns, ...longIsolated],
        ...playsSessions,
        isolate: false,
      }),
      project('long-runs', { include: longRuns, ...long, isolate: false }),
      project('long-isolated', { include: longIsolated, ...long }),
    ],
  },
});
