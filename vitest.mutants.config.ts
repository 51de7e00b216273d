import { resolve } from 'node:path';
import type { TestProjectInlineConfiguration } from 'vitest/config';
import { defineConfig } from 'vitest/config';
import { type Mutant, mutants } from './test/mutants/mutants.ts';
import { project } from './test/setup/project.ts';

/** `2/3` takes the second of three parts. */
const [part = 1, parts = 1] = (process.env['COXSWAIN_MUTANTS'] ?? '1/1').split('/').map(Number);

/** Each mutant has a project of its own, which must fail: scripts/test-mutants.mjs runs them. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: mutants.filter((_, index) => index % parts === part - 1).map(projectOf),
  },
});

function projectOf(mutant: Mutant): TestProjectInlineConfiguration {
  const { rule, noticed } = mutant;
  const { plugins = [], ...given } = project(rule, {
    isolate: false,
    testTimeout: 10 * 60_000,
    include: filesFor(noticed),
    env: 'within' in noticed ? { COXSWAIN_RANDOM_EVENTS: String(noticed.within) } : {},
  });
  return { ...given, plugins: [...plugins, broken(mutant)] };
}

function filesFor({ by }: Mutant['noticed']): string[] {
  if (by === 'claims') return ['test/mutants/claims.test.ts'];
  return by.map((name) => `test/steering/${name}.test.ts`);
}

/** A plugin for Vite that breaks the rule in memory. */
function broken({ changes }: Mutant) {
  return {
    name: 'mutant',
    enforce: 'pre' as const,
    transform(code: string, id: string): string | undefined {
      const here = changes.filter(([file]) => resolve(file) === id);
      if (here.length === 0) return undefined;
      return here.reduce((text, [file, from, to]) => {
        if (text.split(from).length !== 2) throw new Error(`"${from}" does not stand once in ${file}`);
        return text.replace(from, () => to);
      }, code);
    },
  };
}
