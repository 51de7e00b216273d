import type { FileDiff } from '../../steering/attempt-result.ts';
import { patchOf } from '../diff/patch.ts';
import { isTestFile } from './test-files.ts';

/** How tests are declared inside of source files: Rust's modules of tests, and Vitest's. */
const marks: readonly (readonly [path: RegExp, text: RegExp])[] = [
  [/\.rs$/, /#\[(?:cfg\((?:all\()?test\b|(?:\w+::)?test\b|rstest\b)|^\s*(?:pub )?mod tests?\b/],
  [/\.[cm]?[jt]sx?$/, /\bimport\.meta\.vitest\b/],
  [/\.(?:py|pyx)$/, /^\s*>>> /],
];

/**
 * The paths of changed source files that contain tests of their own, as far as the diff shows them. These
 * tests cannot be run with the code of another commit by putting back files.
 */
export function testsInSource(files: readonly FileDiff[], globs?: readonly string[]): readonly string[] {
  return files.filter((file) => !isTestFile(file.path, globs) && showsTests(file)).map(({ path }) => path);
}

function showsTests(file: FileDiff): boolean {
  const texts = marks.filter(([ending]) => ending.test(file.path)).map(([, text]) => text);
  if (file.diff === undefined || texts.length === 0) return false;
  return patchOf(file).hunks.some(({ heading, lines }) =>
    [heading, ...lines.map(({ text }) => text)].some((line) => texts.some((text) => text.test(line))),
  );
}
