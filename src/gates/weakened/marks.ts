import { anyOf } from '../../text/pattern/any-of.ts';
import { once } from '../reading/once.ts';
import { raw } from '../reading/raw.ts';
import { type Change, changedLines, placesIn, type TestReading } from './change.ts';
import { inNew, type Judged, suspected, type Told } from './finding.ts';
import type { Line, Version } from './lines.ts';

/** What is done to a test by a word in it, and how people are told. */
interface Mark {
  readonly told: Told;
  readonly pattern: RegExp;
  /** Only a system on which the test cannot work may be meant. */
  readonly isConditional?: boolean;
}

/** How frameworks are told not to run a test, to expect its failure, or to run no others. */
const marks: readonly Mark[] = [
  {
    told: ['narrowed-selection', 'no other tests run'],
    pattern: raw`\b(?:it|test|describe|context|suite|specify|Deno\.test)(?:\.\w+)*\.only\b|^\s*f(?:it|describe|context|specify|scenario|It|Describe)\s*[("' ]|\bonly:\s*true|\bfocus:\s*true|,\s*:focus\b|->only\(\)|^\s*F(?:It|Describe|Context|Entry)\(|["']f:`,
  },
  {
    told: ['skipped', 'it does not run everywhere'],
    pattern: anyOf([
      String.raw`\.(?:skipIf|runIf)\s*\(|\b(?:it|test|describe)\.(?:skip|fixme)\(\s*[^'"\x60\s]|\?\s*(?:it|test|describe)(?:\.skip)?\s*:|\bskip:\s*(?!true|false|undefined|["'\x60])[\w!(]`,
      String.raw`@(?:\w+\.)*(?:skipif|skipIf|skipUnless)\b|\bimportorskip\b|pytestmark\s*=.*skipif`,
      String.raw`@(?:Disabled|Enabled)(?:On|If|For|In)\w*|\bassum(?:e|ing)(?:True|That|False|Not\w*)?\s*\(|@(?:Ignore|Requires)If\b|prop_assume!|\b(?:fc\.pre|assume)\(`,
      String.raw`#\[cfg\((?!test\)|all\(test\)|debug_assertions)|^\s*\/\/go:build|^\s*\/\/ \+build`,
      String.raw`\bXCTSkip(?:If|Unless)\(|\.enabled\(if:|#\[Requires\w+|Skip\.If\(`,
    ]),
    isConditional: true,
  },
  {
    told: ['skipped', 'it does not run, or may fail'],
    pattern: anyOf([
      String.raw`\b(?:it|test|describe|context|suite|specify|Deno\.test)(?:\.\w+)*\.(?:skip|fixme|todo|fails|failing|ignore)\b|^\s*x(?:it|test|describe|context|specify|scenario|example|feature|should)\b\s*[("' ]|\b(?:this|ctx|t|context)\.skip\(|\b(?:skip|ignore|todo):\s*(?:true|["'\x60])|^\s*pending\b(?!\s*[:=_.])|,\s*:(?:skip|pending)\b|^\s*skip(?:\s+["'(]|$|\()`,
      String.raw`@(?:\w+\.)*(?:skip|xfail|expectedFailure)\b|\bpytest\.(?:skip|xfail)\(|\bskipTest\(|marks=pytest\.mark\.(?:skip|xfail)|\bSkipTest\b|pytestmark\s*=.*\b(?:skip|xfail)|__test__\s*=\s*False|#\s*doctest:\s*\+SKIP`,
      String.raw`@(?:Disabled|Ignore)\b(?!\w)|\benabled\s*=\s*false|\bconfig\(enabled|SkipException|\bignore\s*\(\s*"|\.disabled\(`,
      String.raw`\b(?:t|tb|b|s\.T\(\))\.Skip(?:f|Now)?\(|^\s*(?:P|X)(?:It|Describe|Context)\(|\bSkip\(\s*"`,
      String.raw`#\[ignore\b|#\[cfg_attr\([^\]]*\bignore\b`,
      String.raw`\bSkip\s*=\s*"|\bAssert\.(?:Ignore|Inconclusive|Skip)\(|\[(?:\w+, *)*(?:Ignore|Explicit)\b`,
      String.raw`\bmarkTest(?:Skipped|Incomplete)\(|->(?:skip|todo)\(`,
      String.raw`\bXCTSkip\b|\bthrow\s+XCTSkip|XCTExpectFailure|withKnownIssue|@(?:module|describe)?tag\s+:?skip|GTEST_SKIP|DISABLED_`,
    ]),
  },
  {
    told: ['loosened-threshold', 'tries again until it passes'],
    pattern: raw`@(?:\w+\.)*flaky\b|\bjest\.retryTimes\(|\bthis\.retries\(\s*[1-9]|\b(?:retry|retries|reruns):\s*[1-9]|@Retry\w*|\[\w*Retry\w*\(|@RepeatedIfExceptions`,
  },
  {
    told: ['swallowed-failure', 'it decides how tests end'],
    pattern: anyOf([
      String.raw`\bos\._exit\(|\bsys\.exit\(0?\)|\bpytest\.exit\((?!.*returncode=[1-9])|\bitems\[:\]\s*=\s*\[|\bSystemExit\b(?!\))|def pytest_(?:ignore_collect|pyfunc_call|runtest_makereport)\b`,
      String.raw`\bexitstatus\s*=\s*0|\bglobal(?:This)?\.(?:expect|assert|it|test|describe)\s*=[^=]|^\s*assert\.\w+\s*=[^=]`,
      String.raw`\bprocess\.(?:on\(\s*["']exit|exit\(0?\))|\bat_exit\b|\bexit!|\bstd::process::exit\(0|\bhalt\(0|\bSystem\.exit\(0|\bos\.Exit\(0`,
    ]),
  },
];

/** Where something cannot work, it is no test. */
const platform = raw`(?i)windows|win32|feature|unstable|\bnt\b|unix|linux|macos|darwin|platform|\bos\b|JDK|JavaVersion|version|target_os|target_arch|PY[23]|pypy|RUBY|wasm|msvc`;

function markIn({ text }: Line): Mark | undefined {
  return marks.find(({ pattern }) => pattern.test(text));
}

/** Marks that a change adds to tests which are there already, beyond those that it removes. */
export function addedMarks({ tests }: Change): readonly Judged[] {
  // The same mark may be written in another way.
  const removed = new Map<Mark | undefined, number>();
  const count = (mark: Mark | undefined, by: number) => {
    const before = removed.get(mark) ?? 0;
    removed.set(mark, before + by);
    return before;
  };
  for (const { old } of tests) for (const line of changedLines(old)) count(markIn(line), 1);
  return tests.flatMap((reading) =>
    changedLines(reading.new).flatMap((line) => {
      const mark = markIn(line);
      if (mark === undefined || count(mark, -1) > 0 || !takesAway(reading, line, mark)) return [];
      const found = inNew(reading.path, line, mark.told);
      return [mark.isConditional && platform.test(line.text) ? suspected(found) : found];
    }),
  );
}

/** A test that is as new as its mark takes nothing away; a mark of what is there does. */
function takesAway({ file, old, new: next }: TestReading, line: Line, { told: [what] }: Mark): boolean {
  if (what === 'swallowed-failure') return true;
  if (what === 'narrowed-selection') return file.status !== 'added';
  if (file.status === 'added') return false;
  const at = placesIn(next).get(line) ?? 0;
  const named =
    line.test !== ''
      ? line
      : next.lines.slice(at, at + 8).find(({ declares, hunk }) => declares && hunk === line.hunk);
  if (named === undefined) return old.lines.length > 0;
  return !(headsIn(next).get(named.test)?.changed ?? false) || testsIn(old).has(named.test);
}

/** The first line that declares each test. */
const headsIn = once(({ lines }: Version): ReadonlyMap<string, Line> => {
  const heads = lines.filter(({ declares }) => declares).reverse();
  return new Map(heads.map((line) => [line.test, line]));
});

const testsIn = once(({ lines }: Version): ReadonlySet<string> => new Set(lines.map(({ test }) => test)));
