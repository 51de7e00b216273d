import { defineConfig } from 'vitest/config';
import { project } from './test/setup/project.ts';

const { COXSWAIN_MUTATED: folder = 'steering' } = process.env;

const fast = {
  // Random sequences find a mutant in one run and miss it in the next.
  steering: { include: ['test/steering/*.test.ts'], exclude: ['test/steering/invariants.test.ts'] },
  // Those that start no Git.
  ledger: {
    include: ['migrate', 'planning', 'reading', 'batching'].map((name) => `test/ledger/${name}.test.ts`),
  },
};

/** The fast tests of the folder that is mutated: each of its mutants runs those that reach it. */
export default defineConfig({
  ...project('mutation', {
    ...(folder === 'ledger' ? fast.ledger : fast.steering),
    maxWorkers: 1,
    isolate: false,
  }),
});
