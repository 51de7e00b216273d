import { type DiffOptions, decidingFiles, isTestFile } from '../gates/index.ts';
import { defined } from '../steering/defined.ts';
import type { Settings } from '../steering/settings.ts';

/** By what a change is judged besides our own rules: what the configuration and the task say. */
export function judgedBy(settings: Settings): DiffOptions {
  const { critical, gates, tests } = settings;
  return {
    ...defined({ gates, tests, isCritical: critical }),
    deciding: decidingHere(settings),
  };
}

/** The configuration under a name of its own, and what decides the verifiers' commands; not the tests. */
function decidingHere({ file, tests, verifiers }: Settings): readonly string[] {
  const named = verifiers.flatMap(({ run }) => decidingFiles(run));
  const deciding = named.filter((path) => !isTestFile(path, tests));
  return [...(file === undefined ? [] : [file]), ...new Set(deciding)];
}
