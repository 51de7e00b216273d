import { type DiffOptions, isTestFile } from '../gates/index.ts';
import type { Settings } from '../steering/settings.ts';
import { anyOf } from '../text/pattern/any-of.ts';

/** By what a change is judged besides our own rules: what the configuration and the task say. */
export function judgedBy(settings: Settings): DiffOptions {
  const { critical, gates, tests } = settings;
  return {
    ...(gates !== undefined && { gates }),
    ...(tests !== undefined && { tests }),
    ...(critical !== undefined && { isCritical: critical }),
    deciding: decidingFiles(settings),
  };
}

/** A script that a command line starts: by its path, or as the first argument of an interpreter. */
const started = anyOf(
  [
    String.raw`(?:^|[;&|(]\s*)(?:(?:sudo|env|exec|time)\s+)?(?:(?:\./)?((?:[\w.-]+/)+[\w.-]+|(?<=\./)[\w.-]+)|(?:ba|z|da|k)?sh\s+(?:-\w+\s+)*(?:\./)?([\w./-]+)|(?:node|tsx|python3?|ruby|perl|php)\s+(?:\./)?([\w./-]+\.\w+))`,
  ],
  'g',
);

/** The configuration under a name of its own, and the scripts that verifiers start; not the tests. */
function decidingFiles({ file, tests, verifiers }: Settings): readonly string[] {
  const scripts = verifiers.flatMap(({ run }) =>
    [...run.matchAll(started)].flatMap(([, ...named]) => named.filter((name) => name !== undefined)),
  );
  const deciding = scripts.filter((path) => !isTestFile(path, tests));
  return [...(file === undefined ? [] : [file]), ...new Set(deciding)];
}
