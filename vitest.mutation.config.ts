import { defineConfig } from 'vitest/config';
import { project } from './test/setup/project.ts';

const { COXSWAIN_MUTATED: part = 'steering' } = process.env;

const fast: Readonly<Record<string, { include: string[]; exclude?: string[] }>> = {
  // Random sequences find a mutant in one run and miss it in the next.
  steering: { include: ['test/steering/*.test.ts'], exclude: ['test/steering/invariants.test.ts'] },
  // Those that start no Git.
  ledger: {
    include: ['migrate', 'planning', 'reading', 'batching'].map((name) => `test/ledger/${name}.test.ts`),
  },
  'ledger/outcomes': { include: ['outcomes', 'sealing'].map((name) => `test/ledger/${name}.test.ts`) },
  'runs/finish': { include: ['test/runs/doubts.test.ts'] },
  seal: { include: ['test/seal/*.test.ts'] },
  'network/spending': {
    include: ['budget', 'prices', 'metering'].map((name) => `test/network/${name}.test.ts`),
  },
};

/** The fast tests of the part that is mutated: each of its mutants runs those that reach it. */
export default defineConfig({
  ...project('mutation', {
    ...fast[part],
    maxWorkers: 1,
    isolate: false,
  }),
});
