import { literalsIn } from './assertions.ts';
import { type Change, changedLines } from './change.ts';
import { otherResult } from './comparing.ts';
import { inNew, type Judged, suspected } from './finding.ts';

/** Files with what tests compare with that are rewritten although nothing else changes that is tested. */
export function rewrittenSnapshots({ readings, isSame, tests }: Change): readonly Judged[] {
  // What the tests give may be something else now.
  const given = (side: 'old' | 'new') =>
    new Set(
      tests.flatMap((each) =>
        changedLines(each[side]).flatMap(({ text, declares }) => (declares ? [] : literalsIn(text))),
      ),
    );
  const [before, after] = [given('old'), given('new')];
  const isGivenElse =
    tests.some(({ file }) => file.status === 'renamed') || [...after].some((each) => !before.has(each));
  return readings.flatMap((reading): readonly Judged[] => {
    if (!isSame || reading.role !== 'expected' || reading.file.status !== 'modified') return [];
    const [old, line] = [...changedLines(reading.old), ...changedLines(reading.new)];
    if (old === undefined || line === undefined) return [];
    const found = inNew(reading.path, line, ['rewritten-snapshot', otherResult]);
    return [isGivenElse ? suspected(found) : found];
  });
}
