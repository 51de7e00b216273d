import { anyOf, raw } from '../../text/regexp.ts';
import { holds, once } from '../reading/work-limit.ts';
import type { Assertion } from './assertions.ts';
import {
  type Change,
  changedLines,
  inNew,
  type Judged,
  placesIn,
  stem,
  suspected,
  type TestReading,
  type Told,
} from './change.ts';
import type { Line, Version } from './statements.ts';

/** Ways in which a test that is there already can no longer fail, although its assertions stay. */
export function unfailingTests({ tests }: Change): readonly Judged[] {
  const changed = tests.filter(({ file: { status } }) => status !== 'added' && status !== 'deleted');
  return changed.flatMap((reading) => {
    const { old, new: next } = reading;
    const known = new Set(changedLines(old).map(({ text }) => text.trim()));
    const isNew = ({ changed, text }: Line) => changed && !known.has(text.trim());
    const there = new Set(old.lines.map(({ test }) => test));
    const fresh = next.lines.flatMap((line, index) => (isNew(line) && there.has(line.test) ? [index] : []));
    return [
      ...fresh.flatMap((index) => [...caught(reading, index), ...left(reading, index)]),
      ...conditional(reading, isNew),
      ...unawaited(reading),
      ...mocked(reading),
    ];
  });
}

const catching = raw`\bcatch\b|^\s*(?:except|rescue)\b|\.catch\(|contextlib\.suppress|runCatching|\bon\s+\w+\s+catch|\.ok\(\);|std::panic::catch_unwind`;
const rethrowing = raw`\b(?:throw|raise|fail|reject|panic|done\(|next\(|assert|expect|exit|abort|t\.(?:Fatal|Error)|flunk)\b|\bassert|expect|Assert\.|XCTFail|process\.exit`;
/** What is caught stands behind these, and not what is done about it. */
const holding = /runCatching|contextlib\.suppress|catch_unwind/;
const maxBody = 8;

/** A failure is caught, and nothing is thrown in its place. */
function caught({ path, new: { lines }, asserted }: TestReading, index: number): readonly Judged[] {
  const line = lines[index];
  const at = line?.code.search(catching) ?? -1;
  if (line === undefined || at < 0 || rethrowing.test(line.code.slice(at + 6))) return [];
  const body = blockFrom(lines, index);
  if (!holding.test(line.code) && rethrowing.test(body.map(({ code }) => code).join('\n'))) return [];
  const guards = asserted.new.some(
    ({ statement: { index: place, line: own } }) =>
      isBeside(own, line) && place >= index - 40 && place <= index + body.length,
  );
  return guards ? [inNew(path, line, ['swallowed-failure', 'a failure is caught'])] : [];
}

/** They are in the same test, and in the same part of the diff. */
function isBeside(line: Line, other: Line): boolean {
  return line.test === other.test && line.hunk === other.hunk;
}

/** Finds the lines below that are indented more. */
function blockFrom(lines: readonly Line[], index: number): readonly Line[] {
  const [own] = lines.slice(index, index + 1);
  const below = lines.slice(index + 1, index + 1 + maxBody);
  const end = below.findIndex(
    (each) => each.hunk !== own?.hunk || (each.code.trim() !== '' && each.indent <= (own?.indent ?? 0)),
  );
  return end < 0 ? below : below.slice(0, end);
}

const leaving = raw`^\s*(?:if\b.*[\s)]|.*\b(?:else|unless|if)\b.*)?\breturn(?:\s+(?:nil|None|null|undefined|Ok\(\(\)\)))?\s*;?\s*\}?;?\s*$|^\s*return(?:\s+Ok\(\(\)\))?;?\s*(?:unless|if)\b|\?:\s*return\b`;

/** The test returns before it asserts, and does not fail where it returns. */
function left({ path, new: { lines }, asserted }: TestReading, index: number): readonly Judged[] {
  const line = lines[index];
  if (line === undefined || line.test === '' || !leaving.test(line.code)) return [];
  if (lines.slice(Math.max(0, index - 3), index).some(({ code }) => rethrowing.test(code))) return [];
  const follows = asserted.new.some(
    ({ statement }) => statement.index > index && isBeside(statement.line, line),
  );
  return follows ? [inNew(path, line, ['swallowed-failure', 'returns before it asserts'])] : [];
}

const condition = /^\s*(?:\}\s*)?(?:if|unless|when|guard)\b(?!.*\berr\b)|\?\.let\b/;

/** An assertion is made only under a condition now; it, or another one of its test, was made without. */
function conditional(
  { path, new: { lines }, asserted }: TestReading,
  isNew: (line: Line) => boolean,
): readonly Judged[] {
  const before = new Set(
    asserted.old.flatMap(({ key, statement: { changed, line } }) => (changed ? [key, line.test] : [key])),
  );
  return asserted.new.flatMap(({ key, statement: { index, line }, isFailure }) => {
    const wasMade = before.has(key) || (line.test !== '' && before.has(line.test));
    const above = lines[index - 1];
    if (above === undefined || isFailure || !wasMade || above.hunk !== line.hunk) return [];
    const isGuarded = isNew(above) && condition.test(above.code) && above.indent < line.indent;
    return isGuarded ? [inNew(path, above, ['swallowed-failure', 'asserts only under a condition'])] : [];
  });
}

const awaiting = /\b(?:await|return)\b/;

/** Nobody waits for what is asserted. */
function unawaited({ path, asserted }: TestReading): readonly Judged[] {
  const before = new Map(asserted.old.filter(waits).map((each) => [each.key, each]));
  return asserted.new.flatMap((each) => {
    const was = before.get(each.key);
    if (was === undefined || !each.statement.changed || awaiting.test(each.statement.code)) return [];
    return [inNew(path, each.statement.line, ['swallowed-failure', 'nothing waits for it'])];
  });
}

function waits({ statement }: Assertion): boolean {
  return statement.changed && awaiting.test(statement.code);
}

/** How a stand-in takes the place of a function, and the name of that function. */
const standIns = anyOf([
  String.raw`\.when\(\w+\)\.(\w+)\(`,
  String.raw`\.Setup\w*\(\s*\w+\s*=>\s*\w+\.(\w+)\(`,
  String.raw`\b(?:when|every)\s*[({]\s*\w+\.(\w+)\(`,
  String.raw`\ballow(?:_any_instance_of)?\(.*\breceive\(:(\w+)`,
  String.raw`\b(?:spyOn|setattr|stub|patch\.object|mock\.method)\([\w.]+,\s*["'](\w+)["']`,
  String.raw`\b(?:mock|doMock|patch)\(\s*["'][\w./@-]*?([\w-]+?)(?:\.[jt]sx?)?["']`,
]);

/** What is tested, by the name of the file or by an assertion of the same test, is replaced by a stand-in. */
function mocked({ path, old, new: next, asserted }: TestReading): readonly Judged[] {
  const plain = (name: string) => name.toLowerCase().replace(/[-_]/g, '');
  const known = new Set(changedLines(old).flatMap(({ text }) => standIns.exec(text)?.slice(1) ?? []));
  const said = new Map<string, { readonly names: Set<string>; code: string }>();
  for (const { names, statement } of asserted.new)
    for (const test of new Set(['', statement.line.test])) {
      const { names: all, code } = said.get(test) ?? { names: new Set<string>(), code: '' };
      for (const name of names) all.add(name);
      said.set(test, { names: all, code: `${code}\n${statement.code}` });
    }
  return next.statements.flatMap(({ changed, text, line }) => {
    const name = standIns
      .exec(text)
      ?.slice(1)
      .find((each) => each !== undefined);
    if (!changed || name === undefined || name.length < 3 || known.has(name)) return [];
    const { names, code = '' } = said.get(line.test) ?? {};
    const isAsserted = names?.has(name) === true || holds(code, `.${name}`);
    if (!isAsserted && plain(name) !== plain(stem(path))) return [];
    return [inNew(path, line, ['mocked-subject', 'what is tested is replaced'])];
  });
}

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
