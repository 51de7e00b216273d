import { type Assertion, between } from './assertion.ts';
import type { FileReading, Version } from './reading.ts';
import type { TestBlock } from './test-blocks.ts';

/** A test in one version of one file. */
export interface Located {
  readonly reading: FileReading;
  readonly version: Version;
  readonly block: TestBlock;
}

/** The lines of a test that say something, without its declaration. */
export function bodyOf({ version, block }: Located): readonly string[] {
  const inside = version.lines.slice(block.head + 1, Math.min(block.end, block.head + 400));
  return inside
    .filter(({ blank }) => !blank)
    .map(({ key }) => key)
    .filter((line) => line.length > 5);
}

/** What a test asserts, and is fed with. */
export function assertionsIn({ version, block }: Located): readonly Assertion[] {
  return between(version.assertions, block.head, block.end);
}
