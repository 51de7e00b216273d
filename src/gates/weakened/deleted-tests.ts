import { raw } from '../../text/regexp.ts';
import { literalsIn } from './assertions.ts';
import {
  type Change,
  changedLines,
  inNew,
  inOld,
  isAboutGone,
  type Judged,
  sureIfFew,
  suspected,
  type TestReading,
} from './change.ts';
import { add, isTabled, otherResult } from './compared-assertions.ts';
import type { Line, Version } from './statements.ts';

/** Tests, and rows of their tables, that a change takes away while what they test stays. */
export function deletedTests(change: Change): readonly Judged[] {
  const added = new Set(change.tests.flatMap((each) => declaredIn(each.new).map(({ test }) => test)));
  const names = (version: Version) => changedLines(version).filter(({ declares }) => declares);
  const fresh = change.tests.flatMap((each) => names(each.new)).length;
  const kept = new Set(change.tests.flatMap((each) => each.new.lines.map(({ text }) => text.trim())));
  const lost = change.tests.flatMap((reading) => {
    const byTest = new Map<string, Line[]>();
    for (const each of reading.old.lines) add(byTest, each.test, each);
    const byName = new Map(names(reading.old).map((line) => [line.test, line]));
    return [...byName.values()]
      .filter(({ test }) => !added.has(test))
      .map((line) => ({ reading, line, lines: byTest.get(line.test) ?? [], kept }));
  });
  const gone = lost.length > fresh ? lost : [];
  return [
    ...sureIfFew(gone.flatMap((each) => deleted(change, each))),
    ...change.tests.flatMap((each) => [...sureIfFew(rows(change, each)), ...uncollected(each)]),
  ];
}

/** The declaration of a test that is gone, with all of its lines, and what the new tests still say. */
interface Lost {
  readonly reading: TestReading;
  readonly line: Line;
  readonly lines: readonly Line[];
  readonly kept: ReadonlySet<string>;
}

function declaredIn({ lines }: Version): readonly Line[] {
  return lines.filter(({ declares }) => declares);
}

/** Finds a test whose name is nowhere any more, and of which nothing has arrived elsewhere. */
function deleted(change: Change, { reading, line, lines, kept }: Lost): readonly Judged[] {
  const own = lines.filter(({ changed, code }) => changed && /\w/.test(code) && code.trim() !== 'end');
  const body = own.filter(({ declares }) => !declares);
  if (lines.filter(({ changed, code }) => !changed && /\w/.test(code)).length > 2) return [];
  const arrived = body.filter(({ text }) => kept.has(text.trim()) || arrives(change, text)).length;
  if ((body.length === 0 && lines.length > 1) || arrived > body.length / 2) return [];
  const words = own.flatMap(({ text }) => [...(text.match(/\w{4,}/g) ?? []), ...literalsIn(text)]);
  if (isAboutGone(change, reading, [line.test, ...words])) return [];
  const evidence = `the test "${line.test.slice(0, 80)}" is deleted`;
  const found = { ...inOld(reading.path, line, ['deleted', '']), evidence, test: line.test };
  return [isTabled(reading) ? suspected(found) : found];
}

/** What a line compares with is in what the tests have gained. */
function arrives({ gained }: Change, text: string): boolean {
  const literals = literalsIn(text).filter((each) => each.length > 1);
  return literals.length > 0 && literals.every((each) => gained.has(each));
}

const tables = raw`(?i)parametrize|\beach\b|\bwhere:|CsvSource|ValueSource|DataProvider|dataProvider|InlineData|TestCase|rstest|#\[case|\bcases\b|\btests\b\s*:?=|Entry\(|forall|Examples:|arguments:`;
const row =
  /^\s*(?:\$\{|[[({]|&?\w*\{|\[?InlineData|\[?TestCase|#\[case|@CsvSource|"[^"]*",?$|\|.*\||pytest\.param\(|Arguments\.of\(|Entry\(|arrayOf\(|row\()|^\s*["'][^"']*["']\s*(?:=>|:)\s*[[({]/;

/** Rows that a table had, and that have become fewer. */
function rows(change: Change, reading: TestReading): readonly Judged[] {
  const { path, old, new: next } = reading;
  const isRow = ({ text, declares }: Line) =>
    !declares && row.test(text) && literalsIn(text).length > 0 && /[,)\]}|`]\s*$/.test(text);
  const inTable = new Set(old.lines.filter(({ text }) => tables.test(text)).map(({ hunk }) => hunk));
  const removed = changedLines(old).filter((line) => inTable.has(line.hunk) && isRow(line));
  const added = changedLines(next).filter(isRow);
  const lost = removed.filter(({ text }) => !arrives(change, text));
  const byName = new Map(added.map((line) => [literalsIn(line.text)[0], line]));
  const fewer = removed.length - added.length;
  return lost.flatMap((line, index): readonly Judged[] => {
    const next = byName.get(literalsIn(line.text)[0]);
    if (next !== undefined && literalsIn(next.text).length > 1 && change.isSame && fewer === 0)
      return [inNew(path, next, ['changed-expectation', otherResult])];
    if (next !== undefined || (index >= fewer && !change.isSame)) return [];
    return [inOld(path, line, ['deleted', 'the case is gone'])];
  });
}

const head =
  /^(?!.*fixture)\s*(?:(?:public|private|async|override|suspend|internal)\s+)*(?:def|func|fun|fn|void|Task)\s+/;

/** Finds a function whose body stays, but which no runner takes for a test any more. */
function uncollected({ path, old, new: next }: TestReading): readonly Judged[] {
  const declared = new Set(declaredIn(next).map(({ test }) => test));
  const isFewer = declaredIn(next).length < declaredIn(old).length;
  const unchanged = new Map<string, Line>();
  for (const each of [...next.lines].reverse()) if (!each.changed) unchanged.set(each.text, each);
  let at = 0;
  return declaredIn(old).flatMap((line) => {
    if (!isFewer || declared.has(line.test)) return [];
    while (isBefore(next.lines[at], line)) at++;
    // Only the mark of the test is gone.
    const kept = line.changed ? undefined : unchanged.get(line.text);
    const near = next.lines[at]?.hunk === line.hunk ? next.lines.slice(Math.max(0, at - 1), at + 1) : [];
    const turned = kept ?? near.find((each) => each.changed && !each.declares && head.test(each.text));
    if (turned === undefined) return [];
    return [inNew(path, turned, ['narrowed-selection', 'no runner recognizes it as a test'])];
  });
}

function isBefore(line: Line | undefined, other: Line): boolean {
  if (line === undefined) return false;
  return line.hunk < other.hunk || (line.hunk === other.hunk && line.number < other.number);
}

/**
 * Finds files with what tests compare with that are rewritten although nothing else changes that is tested.
 */
export function rewrittenSnapshots({ readings, isSame, tests }: Change): readonly Judged[] {
  // What the tests give may be something else now.
  const isGivenElse = tests.some((each) => changedLines(each.new).length > 0);
  return readings.flatMap((reading): readonly Judged[] => {
    if (!isSame || reading.role !== 'expected' || reading.file.status !== 'modified') return [];
    const [old, line] = [...changedLines(reading.old), ...changedLines(reading.new)];
    if (old === undefined || line === undefined) return [];
    const found = inNew(reading.path, line, ['rewritten-snapshot', otherResult]);
    return [isGivenElse ? suspected(found) : found];
  });
}
