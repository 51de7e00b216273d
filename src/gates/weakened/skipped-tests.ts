import { anyOf } from '../../text/pattern/any-of.ts';
import type { WeakenedTest } from './finding.ts';
import { type FileReading, inTest, testAround, type Version } from './reading.ts';
import { runsElsewhere } from './runs-elsewhere.ts';
import { type SkipKind, skipMarkIn } from './skip-marks.ts';
import type { SourceLine } from './source-line.ts';
import { blockAround } from './test-blocks.ts';
import type { TestPairs } from './test-pairs.ts';

/** Tests that a diff keeps from running, or leaves alone among those that run. */
export function skippedTests(readings: readonly FileReading[], pairs: TestPairs): readonly WeakenedTest[] {
  const before = new Marks(readings);
  const successors = newTests(readings, pairs);
  const runs = runsElsewhere(readings);
  return readings.flatMap((reading) => {
    const { new: version } = reading;
    return version.lines.flatMap((line, index) => {
      const isTag = /^\/\/\s*(?:go:build|\+build)\b/.test(line.comment);
      if (!line.changed || (line.blank && !isTag) || !version.isTest(index)) return [];
      const mark = markAt(version, index, reading);
      if (mark === undefined || before.has(reading, { version, index, mark })) return [];
      const isNew = isNewTest(reading, { index, successors });
      if (isNew && mark !== 'never' && mark !== 'only') return [];
      if (mark !== 'only' && runs(`${line.text} ${line.comment}`)) return [];
      if (mark === 'planned' && !before.knows(version, index)) return [];
      const evidence = `${says[mark]}: \`${(line.text.trim() || line.comment).slice(0, 120)}\`${inTest(version, index)}`;
      const what = mark === 'only' ? ('narrowed-selection' as const) : ('skipped' as const);
      return [{ path: reading.path, line: line.number, side: 'new' as const, what, evidence }];
    });
  });
}

const says: Readonly<Record<SkipKind, string>> = {
  never: 'skipped',
  sometimes: 'skipped under a condition',
  fails: 'expected to fail',
  only: 'no other test of the file runs',
  planned: 'replaced by a plan',
};

/** What a mark applies to decides how much it says: a skip behind an `if` is one under a condition. */
function markAt(version: Version, index: number, { language }: FileReading): SkipKind | undefined {
  const line = version.lines[index];
  if (line === undefined) return undefined;
  const { family } = language;
  const buildTag = family === 'go' && /\/\/go:build|\/\/ \+build/.test(line.comment);
  if (buildTag) return 'sometimes';
  const mark = skipMarkIn(line.code, family) ?? (family === 'jvm' ? kotestMarkIn(line.text) : undefined);
  if (mark !== 'never' || isUnconditional(version.lines, index)) return mark;
  return 'sometimes';
}

/** Kotest reads a mark in front of a test's name. */
function kotestMarkIn(text: string): SkipKind | undefined {
  const mark = kotestMark.exec(text)?.[1];
  if (mark === undefined) return undefined;
  return mark === '!' ? 'never' : 'only';
}

const kotestMark = anyOf([
  String.raw`^\s*(?:(?:test|it|should|describe|context|expect|feature|scenario)\s*\(\s*)?"(f:|!)[^"]*"[^"]*\{\s*$`,
]);

function isUnconditional(lines: readonly SourceLine[], index: number): boolean {
  const line = lines[index];
  if (line === undefined) return true;
  if (/\b(?:if|unless)\b|&&/.test(line.code) && !/\b(?:describe|it|test)\b/.test(line.code)) return false;
  for (let at = index - 1; at >= Math.max(0, index - 6); at--) {
    const above = lines[at];
    if (above === undefined || above.hunk !== line.hunk || above.blank) continue;
    if (above.indent >= line.indent) continue;
    return !conditional.test(above.code);
  }
  return true;
}

const conditional = anyOf([
  String.raw`^\s*(?:\}?\s*(?:else\s+)?if\b|unless\b|elif\b|else\b|except\b|rescue\b|\}?\s*catch\b|switch\b|case\b)`,
]);

/** New tests, which are no old ones under another name. */
function newTests(readings: readonly FileReading[], pairs: TestPairs): ReadonlySet<unknown> {
  return new Set(readings.flatMap(({ old }) => old.blocks.map((block) => pairs.successor(block)?.block)));
}

function isNewTest(
  { new: version, file }: FileReading,
  { index, successors }: { index: number; successors: ReadonlySet<unknown> },
): boolean {
  if (file.status === 'added') return ![...version.blocks].some((block) => successors.has(block));
  const block = testAround(version, index);
  return (
    block?.changed === true &&
    !successors.has(block) &&
    !version.lines[block.head + 1]?.blank &&
    isWhollyNew(version, block)
  );
}

function isWhollyNew(version: Version, { head, end }: { head: number; end: number }): boolean {
  return version.lines.slice(head, Math.min(end, head + 10)).every(({ changed, blank }) => changed || blank);
}

/** The marks of the old versions: by the test that they are in, and by their text. */
class Marks {
  private readonly byTest = new Set<string>();
  private readonly byText = new Map<string, number>();
  private readonly tests = new Set<string>();

  constructor(readings: readonly FileReading[]) {
    for (const reading of readings) {
      const { old } = reading;
      for (const { name } of old.blocks) this.tests.add(plain(name));
      for (const [index, line] of old.lines.entries()) {
        if (line.blank && line.comment === '') continue;
        const mark = markAt(old, index, reading);
        if (mark === undefined) continue;
        this.byTest.add(`${plain(blockAround(old.blocks, index)?.name ?? '')}:${mark}`);
        if (!line.changed) continue;
        this.byText.set(line.key, (this.byText.get(line.key) ?? 0) + 1);
      }
    }
  }

  /** The same test was marked alike before, or the line has only moved. */
  has({ language }: FileReading, of: { version: Version; index: number; mark: SkipKind }): boolean {
    const { version, index, mark } = of;
    const name = plain(blockAround(version.blocks, index)?.name ?? '');
    const kinds: readonly SkipKind[] = mark === 'sometimes' ? ['sometimes', 'never', 'fails'] : [mark];
    if (name !== '' && kinds.some((kind) => this.byTest.has(`${name}:${kind}`))) return true;
    // A test that failed as expected and is now skipped, or the other way round, counts as little as before.
    if (name !== '' && mark === 'fails' && language.family !== 'rust' && this.byTest.has(`${name}:never`))
      return true;
    const text = version.lines[index]?.key ?? '';
    const left = this.byText.get(text) ?? 0;
    if (left > 0) this.byText.set(text, left - 1);
    return left > 0;
  }

  knows(version: Version, index: number): boolean {
    const name = plain(blockAround(version.blocks, index)?.name ?? '');
    return name !== '' && this.tests.has(name);
  }
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
