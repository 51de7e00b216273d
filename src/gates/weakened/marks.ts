import { raw } from '../raw.ts';
import { type Change, changedLines, type TestReading } from './change.ts';
import { inNew, type Judged, suspected, type Told } from './finding.ts';
import type { Line } from './lines.ts';

type Kind = 'skips' | 'selects' | 'may skip' | 'tries again';

const tellings: Readonly<Record<Kind, Told>> = {
  skips: ['skipped', 'it does not run, or may fail'],
  selects: ['narrowed-selection', 'no other tests run'],
  'may skip': ['skipped', 'it does not run everywhere'],
  'tries again': ['loosened-threshold', 'tries again until it passes'],
};

/** How frameworks are told not to run a test, to expect its failure, or to run no others. */
const marks: readonly (readonly [Kind, RegExp])[] = [
  [
    'selects',
    raw`\b(?:it|test|describe|context|suite|specify|Deno\.test)(?:\.\w+)*\.only\b|^\s*f(?:it|describe|context|specify|scenario|It|Describe)\s*[("' ]|\bonly:\s*true|\bfocus:\s*true|,\s*:focus\b|->only\(\)|^\s*F(?:It|Describe|Context|Entry)\(|["'(]f:`,
  ],
  [
    'may skip',
    /\.(?:skipIf|runIf)\s*\(|\b(?:it|test|describe)\.(?:skip|fixme)\(\s*[^'"`\s]|\?\s*(?:it|test|describe)(?:\.skip)?\s*:|\bskip:\s*(?!true|false|undefined|["'`])[\w!(]/,
  ],
  [
    'skips',
    raw`\b(?:it|test|describe|context|suite|specify|Deno\.test)(?:\.\w+)*\.(?:skip|fixme|todo|fails|failing|ignore)\b|^\s*x(?:it|test|describe|context|specify|scenario|example|feature|should)\b\s*[("' ]|\b(?:this|ctx|t|context)\.skip\(|\b(?:skip|ignore|todo):\s*(?:true|["'\x60])|^\s*pending\b(?!\s*[:=_.])|,\s*:(?:skip|pending)\b|^\s*skip(?:\s+["'(]|$|\()`,
  ],
  [
    'skips',
    raw`@(?:\w+\.)*(?:skip|xfail|expectedFailure)\b|\bpytest\.(?:skip|xfail)\(|\bskipTest\(|marks=pytest\.mark\.(?:skip|xfail)|\bSkipTest\b|pytestmark\s*=.*\b(?:skip|xfail)|__test__\s*=\s*False|#\s*doctest:\s*\+SKIP`,
  ],
  ['may skip', /@(?:\w+\.)*(?:skipif|skipIf|skipUnless)\b|\bimportorskip\b|pytestmark\s*=.*skipif/],
  [
    'skips',
    raw`@(?:Disabled|Ignore)\b(?!\w)|\benabled\s*=\s*false|\bconfig\(enabled|SkipException|\bignore\s*\(\s*"|\.disabled\(`,
  ],
  [
    'may skip',
    raw`@(?:Disabled|Enabled)(?:On|If|For|In)\w*|\bassum(?:e|ing)(?:True|That|False|Not\w*)?\s*\(|@(?:Ignore|Requires)If\b|prop_assume!|\b(?:fc\.pre|assume)\(`,
  ],
  ['skips', /\b(?:t|tb|b|s\.T\(\))\.Skip(?:f|Now)?\(|^\s*(?:P|X)(?:It|Describe|Context)\(|\bSkip\(\s*"/],
  ['skips', /#\[ignore\b|#\[cfg_attr\([^\]]*\bignore\b/],
  ['may skip', /#\[cfg\((?!test\)|all\(test\)|debug_assertions)|^\s*\/\/go:build|^\s*\/\/ \+build/],
  ['skips', /\bSkip\s*=\s*"|\bAssert\.(?:Ignore|Inconclusive|Skip)\(|\[(?:\w+, *)*(?:Ignore|Explicit)\b/],
  ['skips', /\bmarkTest(?:Skipped|Incomplete)\(|->(?:skip|todo)\(/],
  [
    'skips',
    raw`\bXCTSkip\b|\bthrow\s+XCTSkip|XCTExpectFailure|withKnownIssue|@(?:module|describe)?tag\s+:?skip|GTEST_SKIP|DISABLED_`,
  ],
  [
    'tries again',
    raw`@(?:\w+\.)*flaky\b|\bjest\.retryTimes\(|\bthis\.retries\(\s*[1-9]|\b(?:retry|retries|reruns):\s*[1-9]|@Retry\w*|\[\w*Retry\w*\(|@RepeatedIfExceptions`,
  ],
  ['may skip', /\bXCTSkip(?:If|Unless)\(|\.enabled\(if:|#\[Requires\w+|Skip\.If\(/],
];

/** Where something cannot work, it is no test. */
const platform = raw`(?i)windows|win32|feature|unstable|\bnt\b|unix|linux|macos|darwin|platform|\bos\b|JDK|JavaVersion|version|target_os|target_arch|PY[23]|pypy|RUBY|wasm|msvc`;

function markIn({ text }: Line): Kind | undefined {
  return marks.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Skip and focus marks that a change adds to tests which are there already, beyond those that it removes. */
export function addedMarks({ tests }: Change): readonly Judged[] {
  const left = new Map<string, number>();
  for (const { old } of tests) for (const line of changedLines(old)) if (markIn(line)) note(left, line, 1);
  return tests.flatMap((reading) =>
    changedLines(reading.new).flatMap((line) => {
      const kind = markIn(line);
      if (
        kind === undefined ||
        note(left, line, -1) >= 0 ||
        !(kind === 'selects' ? reading.file.status !== 'added' : wasRun(reading, line))
      )
        return [];
      const found = inNew(reading.path, line, tellings[kind]);
      return [kind === 'may skip' && platform.test(line.text) ? suspected(found) : found];
    }),
  );
}

/** Counts a mark by its kind, as the same one may be written in another way; tells how many are left. */
function note(left: Map<string, number>, line: Line, by: number): number {
  const key = markIn(line) ?? '';
  const count = (left.get(key) ?? 0) + by;
  left.set(key, Math.max(-1, count));
  return count;
}

/** A test that is as new as its mark takes nothing away; a mark of what is there does. */
function wasRun({ file, old, new: next }: TestReading, line: Line): boolean {
  if (file.status === 'added') return false;
  const at = next.lines.indexOf(line);
  const named =
    line.test !== ''
      ? line
      : next.lines.slice(at, at + 8).find(({ declares, hunk }) => declares && hunk === line.hunk);
  if (named === undefined) return old.lines.length > 0;
  const head = next.lines.find((each) => each.declares && each.test === named.test);
  return !(head?.changed ?? false) || old.lines.some(({ test }) => test === named.test);
}
