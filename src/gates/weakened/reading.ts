import type { FileDiff } from '../../steering/attempt-result.ts';
import type { Assertion } from './assertion.ts';
import { assertionsOf, type KnownStatements } from './assertions.ts';
import { type Hunk, hunksOf } from './hunks.ts';
import { type Language, languageOf } from './languages.ts';
import { withMeanings } from './local-names.ts';
import { type Role, roleOf } from './role.ts';
import { type SourceLine, versionOf } from './source-line.ts';
import { blockAround, type TestBlock, testBlocksOf } from './test-blocks.ts';
import { inputsOf } from './test-inputs.ts';

/** One version of a file. */
export interface Version {
  readonly side: 'old' | 'new';
  readonly lines: readonly SourceLine[];
  readonly blocks: readonly TestBlock[];
  /** In tests, with what they are fed. */
  readonly assertions: readonly Assertion[];
  /** By the number of a line, its index. */
  readonly byNumber: ReadonlyMap<number, number>;
  isTest(index: number): boolean;
}

/** What a file's diff shows. */
export interface FileReading {
  readonly path: string;
  readonly file: FileDiff;
  readonly role: Role;
  readonly language: Language;
  readonly hunks: readonly Hunk[];
  readonly old: Version;
  readonly new: Version;
}

export function readingOf(file: FileDiff, globs?: readonly string[]): FileReading {
  const { path, previous_path } = file;
  const hunks = file.diff === undefined ? [] : hunksOf(file.diff);
  const language = languageOf(path);
  const oldPath = previous_path ?? path;
  const role = roleOf(file.status === 'renamed' && roleOf(path, globs) === 'source' ? oldPath : path, globs);
  const about = { hunks, language, role, known: new Map() };
  return { path, file, role, language, hunks, old: version('old', about), new: version('new', about) };
}

interface About extends Pick<FileReading, 'hunks' | 'language' | 'role'> {
  readonly known: KnownStatements;
}

function version(side: 'old' | 'new', { hunks, language, role, known }: About): Version {
  const { family } = language;
  const lines = versionOf(side, hunks, language);
  const mayHaveTests = role === 'test' || (role === 'source' && family === 'rust');
  const blocks = mayHaveTests ? testBlocksOf(lines, family) : [];
  const inside = role === 'test' ? undefined : testsInside(lines, hunks, blocks);
  const isTest = (index: number) => role === 'test' || (inside?.[index] ?? false);
  const stated = mayHaveTests
    ? [...assertionsOf(lines, family, known), ...inputsOf(lines, { family, hunks })]
    : [];
  const inOrder = stated.filter(({ index }) => isTest(index)).sort((a, b) => a.index - b.index);
  const assertions = withMeanings(inOrder, lines, blocks);
  const byNumber = new Map(lines.map(({ number }, index) => [number, index]));
  return { side, lines, blocks, assertions, byNumber, isTest };
}

/** Which lines of a source file are in its own module of tests, which by convention comes last. */
function testsInside(
  lines: readonly SourceLine[],
  hunks: readonly Hunk[],
  blocks: readonly TestBlock[],
): readonly boolean[] {
  let inModule = false;
  let hunk = -1;
  return lines.map((line, index) => {
    if (line.hunk !== hunk) {
      hunk = line.hunk;
      if (/\bmod\s+\w*tests?\b|#\[cfg\(test\)\]/.test(hunks[hunk]?.section ?? '')) inModule = true;
    }
    if (/#\[cfg\((?:all\()?test\b|import\.meta\.vitest/.test(line.code)) inModule = true;
    return inModule || blockAround(blocks, index) !== undefined;
  });
}

/** The innermost test around a line, if it is not only in a group. */
export function testAround(version: Version, index: number): TestBlock | undefined {
  const block = blockAround(version.blocks, index);
  return block === undefined || block.group ? undefined : block;
}

/** How to name the test around a line to people, with a space in front; nothing if it is not visible. */
export function inTest(version: Version, index: number): string {
  const name = blockAround(version.blocks, index)?.name ?? '';
  return name === '' ? '' : ` in "${name.slice(0, 80)}"`;
}
