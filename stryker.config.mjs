import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = process.env.COXSWAIN_MUTATED ?? 'steering';

/** What starts Git in the ledger has tests that take seconds for each mutant. */
const withGit = ['append', 'directory', 'ledger', 'list', 'obstacles', 'recreate', 'remote-ledger', 'write'];

/** How `npm run test:mutation` changes one folder of the sources; scripts/test-mutation.mjs says which. */
export default {
  mutate: [`src/${folder}/**/*.ts`, ...withGit.map((name) => `!src/ledger/${name}.ts`)],
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutation.config.ts' },
  plugins: ['@stryker-mutator/vitest-runner'],
  // Stryker cannot load a compiler as new as ours, which it does for any file that is there.
  tsconfigFile: 'none',
  tempDirName: join(tmpdir(), 'coxswain-mutation'),
  ignorePatterns: ['/dist', '/coverage', '/.build', '/.coxswain', '/bench'],
  concurrency: 1,
  coverageAnalysis: 'perTest',
  thresholds: { high: 95, low: 85, break: 85 },
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, reportTests: false },
  allowConsoleColors: false,
  checkers: [],
};
