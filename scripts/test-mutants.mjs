import { startVitest } from 'vitest/node';

/**
 * Breaks each rule of test/mutants/mutants.ts in memory, and tells which of them no test notices.
 * COXSWAIN_MUTANTS=2/3 breaks the second of three parts.
 */

const vitest = await startVitest('test', [], {
  config: 'vitest.mutants.config.ts',
  watch: false,
  bail: 0,
  reporters: [{}],
});
const modules = vitest.state.getTestModules();
const survivors = [];
for (const { name } of vitest.projects) {
  const own = modules.filter(({ project }) => project.name === name);
  const tests = own.flatMap(({ children }) => [...children.allTests('failed')]);
  // A file that does not load has noticed nothing.
  const isLoaded = own.length > 0 && own.every((each) => each.errors().length === 0);
  const noticing = tests[0]?.result().errors?.[0]?.message?.split('\n')[0] ?? '';
  if (isLoaded && tests.length > 0) console.log(`noticed without: ${name} (${tests[0].name}: ${noticing})`);
  else survivors.push(name);
}
for (const name of survivors) console.log(`NOT NOTICED without: ${name}`);
console.log(`${vitest.projects.length - survivors.length} of ${vitest.projects.length} mutants noticed`);
await vitest.close();
process.exitCode = survivors.length === 0 && vitest.projects.length > 0 ? 0 : 1;
