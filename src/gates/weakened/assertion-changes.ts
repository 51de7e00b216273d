import type { Assertion } from './assertion.ts';
import type { WeakenedTest } from './finding.ts';
import { Helpers } from './helpers.ts';
import { type Group, Judge } from './judging.ts';
import type { Located } from './located.ts';
import { Moved } from './moved-assertions.ts';
import { type FileReading, testAround, type Version } from './reading.ts';
import type { TestPairs } from './test-pairs.ts';
import type { TestedCode } from './tested-code.ts';

/** What a diff does to assertions, expected values and rows of tables in tests that stay. */
export function assertionChanges(
  readings: readonly FileReading[],
  { pairs, tested }: { readonly pairs: TestPairs; readonly tested: TestedCode },
): readonly WeakenedTest[] {
  const moved = new Moved(readings);
  const gone = new Set([...pairs.lost, ...pairs.merged].map(({ block }) => block));
  const groups = new Map<string, Group>();
  const group = (key: string, reading: FileReading): Group => {
    const found = groups.get(key) ?? {
      reading,
      removed: [],
      added: [],
      kept: [],
      told: [],
      unread: isUnread(reading),
    };
    groups.set(key, found);
    return found;
  };
  for (const reading of readings) {
    for (const assertion of reading.old.assertions) {
      const block = testAround(reading.old, assertion.index);
      if (!assertion.changed || (block !== undefined && gone.has(block)) || moved.takes(assertion)) continue;
      const next = block === undefined ? undefined : pairs.successor(block);
      group(keyOf(reading, { version: reading.old, assertion, next }), reading).removed.push(assertion);
    }
  }
  for (const reading of readings) {
    for (const assertion of reading.new.assertions) {
      const found = groups.get(keyOf(reading, { version: reading.new, assertion }));
      if (found === undefined) continue;
      if (assertion.changed && !moved.isMoved(assertion)) found.added.push(assertion);
      else found.kept.push(assertion);
    }
  }
  const helpers = new Helpers(readings);
  for (const reading of readings) {
    for (const block of reading.new.blocks) {
      const found = block.group ? undefined : groups.get(`${reading.path}:test:${block.head}`);
      if (found !== undefined) found.told.push(...helpers.assertionsIn(reading.new, block));
    }
  }
  return [...groups.values()].flatMap((each) => new Judge(each, tested).findings());
}

function isUnread({ file }: FileReading): boolean {
  return file.status === 'deleted';
}

function keyOf(
  reading: FileReading,
  { version, assertion, next }: { version: Version; assertion: Assertion; next?: Located | undefined },
): string {
  if (next !== undefined) return `${next.reading.path}:test:${next.block.head}`;
  const block = testAround(version, assertion.index);
  if (block !== undefined && version.side === 'new') return `${reading.path}:test:${block.head}`;
  return `${reading.path}:hunk:${version.lines[assertion.index]?.hunk}`;
}
