import type { WeakenedTest } from './finding.ts';
import type { FileReading } from './reading.ts';
import { isTestFile } from './test-files.ts';

/** What runners look for in the name of a file: `a.spec.js`, `test_a.py`, `a_test.go`, `ATest.java`. */
const marker = new RegExp(
  String.raw`(?:^|\/)(?:test_[^/]*|[^/]*(?:[._-](?:test|tests|spec|specs|e2e|cy|it)` +
    String.raw`|(?:Tests?|Specs?|IT|TestCase)))\.\w+$`,
);
const selects = /\b(?:testMatch|testRegex|include|spec|specs|pattern|python_files|testpaths|files|glob)\b/;

/** Files of tests that are renamed so that runners, which go by names, no longer find them. */
export function unmarkedFiles(readings: readonly FileReading[]): readonly WeakenedTest[] {
  const selectsAnew = readings.some(
    ({ role, new: next }) =>
      role === 'automation' && next.lines.some(({ changed, text }) => changed && selects.test(text)),
  );
  if (selectsAnew) return [];
  return readings.flatMap(({ path, file, role, old, new: next }): readonly WeakenedTest[] => {
    const was = file.previous_path ?? path;
    // What is no test at all by its new name is said elsewhere.
    if (!isTestFile(path)) return [];
    if (role !== 'test' || was === path || !marker.test(was) || marker.test(path)) return [];
    const hasTests = old.lines.length === 0 || next.blocks.length > 0 || next.assertions.length > 0;
    if (!hasTests || /helper|util|support|setup|fixture|mock|fake|base|abstract/i.test(path)) return [];
    const evidence = `${was} is renamed to ${path}, which runners do not take for a test`;
    return [{ path, line: 0, side: 'new', what: 'narrowed-selection', evidence }];
  });
}
