import { tmpdir } from 'node:os';
import { join } from 'node:path';

const part = process.env.COXSWAIN_MUTATED ?? 'steering';

/** What starts Git in the ledger has tests that take seconds for each mutant. */
const withGit = ['append', 'directory', 'ledger', 'list-ledgers', 'obstacles', 'recreate', 'remote-ledger'];

/** What history counts for a run; its tests start Git, and so do not run for the rest of the ledger. */
const outcomes = ['outcomes'];

const namesOf = (folder, names) => names.map((name) => `src/${folder}/${name}.ts`);

/** The parts of the sources that are changed, with the files of each. */
export const parts = {
  steering: ['src/steering/**/*.ts'],
  ledger: ['src/ledger/**/*.ts', ...namesOf('ledger', [...withGit, ...outcomes]).map((path) => `!${path}`)],
  'ledger/outcomes': namesOf('ledger', outcomes),
  seal: ['src/seal/**/*.ts'],
  'network/spending': ['src/network/spending/**/*.ts'],
  // The rest has tests that start a forge, which takes seconds for each mutant.
  'runs/finish': namesOf('runs/finish', ['doubts', 'finishing']),
};

/** Of the other parts nobody has counted yet what goes unnoticed; what does is listed. */
const held = ['steering', 'ledger', 'seal'];

/** How `npm run test:mutation` changes one part of the sources; scripts/test-mutation.mjs says which. */
export default {
  mutate: parts[part],
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutation.config.ts' },
  plugins: ['@stryker-mutator/vitest-runner'],
  // Stryker cannot load a compiler as new as ours, which it does for any file that is there.
  tsconfigFile: 'none',
  tempDirName: join(tmpdir(), 'coxswain-mutation'),
  ignorePatterns: ['/dist', '/coverage', '/.build', '/.coxswain', '/bench'],
  concurrency: 1,
  coverageAnalysis: 'perTest',
  thresholds: { high: 95, low: 85, break: held.includes(part) ? 85 : null },
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, reportTests: false },
  allowConsoleColors: false,
  checkers: [],
};
