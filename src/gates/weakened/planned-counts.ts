import { anyOf } from '../../text/pattern/any-of.ts';
import { type Assertion, between } from './assertion.ts';
import type { WeakenedTest } from './finding.ts';
import { type FileReading, inTest, testAround, type Version } from './reading.ts';
import type { TestPairs } from './test-pairs.ts';

const plan = anyOf([
  String.raw`^\s*(?:expect\.(?:assertions|hasAssertions)|(?:t|assert)\.(?:plan|expect))\((\d*)\)`,
]);

/** How many assertions a test must reach is gone or lowered, while some of them need not be reached. */
export function loweredCounts(readings: readonly FileReading[], pairs: TestPairs): readonly WeakenedTest[] {
  return readings
    .filter(({ language }) => language.family === 'script')
    .flatMap((reading) => {
      const planned = [...reading.old.lines.entries()].filter(
        ([, { changed, code }]) => changed && plan.test(code),
      );
      return planned.slice(0, 200).flatMap(([index]) => lowered(reading, index, pairs));
    });
}

function lowered(reading: FileReading, index: number, pairs: TestPairs): readonly WeakenedTest[] {
  const { path, old } = reading;
  const line = old.lines[index];
  const planned = plan.exec(line?.code ?? '')?.[1];
  const place = planned === undefined ? undefined : placeAfter(reading, index, pairs);
  if (line === undefined || planned === undefined || place === undefined) return [];
  const { version, from, to } = place;
  const stated = between(version.assertions, from, to).filter(
    ({ verb }) => verb !== 'row' && verb !== 'value',
  );
  const now = version.lines.slice(from, to).map(({ code }) => plan.exec(code)?.[1]);
  const count = now.find((each) => each !== undefined);
  const isKept =
    count === undefined
      ? areReached(stated, version, line.indent)
      : count === '' || isEnough(count, planned, stated);
  if (isKept) return [];
  const evidence = `assertions may be left out: \`${line.text.trim()}\` is gone${inTest(old, index)}`;
  return [{ path, line: line.number, side: 'old', what: 'removed-assertion', evidence }];
}

/** As many as before, or all that are there. */
function isEnough(count: string, planned: string, stated: readonly Assertion[]): boolean {
  return Number(count) >= Number(planned) || Number(count) >= stated.length;
}

/** Where the test of a line is now; the hunk, if the diff does not show its declaration. */
function placeAfter(
  { old, new: next }: FileReading,
  index: number,
  pairs: TestPairs,
): { readonly version: Version; readonly from: number; readonly to: number } | undefined {
  const block = testAround(old, index);
  if (block !== undefined) {
    const found = pairs.successor(block);
    return found && { version: found.version, from: found.block.head, to: found.block.end };
  }
  const hunk = old.lines[index]?.hunk;
  const from = next.lines.findIndex((line) => line.hunk === hunk);
  const to = next.lines.findLastIndex((line) => line.hunk === hunk) + 1;
  return from < 0 ? undefined : { version: next, from, to };
}

/** None stands in a handler, a loop or a condition, which are indented more than the test's own steps. */
function areReached(stated: readonly Assertion[], { lines }: Version, level: number): boolean {
  return stated.length > 0 && stated.every(({ index }) => (lines[index]?.indent ?? 0) <= level);
}
