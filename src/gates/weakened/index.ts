import type { FileDiff } from '../../steering/attempt-result.ts';
import type { WeakenedTest } from './finding.ts';
import { isTestFile } from './test-files.ts';

export type { WeakenedTest, Weakening } from './finding.ts';
export { testFiles } from './test-files.ts';

/** The owners' own settings. */
export interface ReadingOptions {
  /** Globs of test files, in place of the usual layouts. */
  readonly tests?: readonly string[];
}

/** Which tests a diff weakens, as far as reading shows. Pure, linear in the size of the diff, never throws. */
export function weakenedTests(
  files: readonly FileDiff[],
  options: ReadingOptions = {},
): readonly WeakenedTest[] {
  return files.flatMap((file) => lostFile(file, options.tests));
}

/** A test file that is deleted, or is none any more under its new name. */
function lostFile(
  { path, previous_path, status }: FileDiff,
  globs?: readonly string[],
): readonly WeakenedTest[] {
  const lost = status === 'deleted' ? path : previous_path;
  if (lost === undefined || !isTestFile(lost, globs)) return [];
  if (status !== 'deleted' && isTestFile(path, globs)) return [];
  return [{ path: lost, line: 0, side: 'old', what: 'deleted', evidence: `${lost} is ${status}` }];
}
