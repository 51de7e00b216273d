import { anyOf } from '../../text/pattern/any-of.ts';
import { raw } from '../raw.ts';
import type { Assertion } from './assertions.ts';
import { type Change, changedLines, stem, type TestReading } from './change.ts';
import { inNew, type Judged } from './finding.ts';
import type { Line } from './lines.ts';

/** Ways in which a test that is there already can no longer fail, although its assertions stay. */
export function unfailingTests({ tests }: Change): readonly Judged[] {
  return tests.flatMap((reading) => {
    if (reading.file.status === 'added') return overridden(reading);
    if (reading.file.status === 'deleted') return [];
    return [
      ...overridden(reading),
      ...caught(reading),
      ...left(reading),
      ...conditional(reading),
      ...unawaited(reading),
      ...mocked(reading),
    ];
  });
}

/** What decides, beside all tests, which of them run and how they end. */
const overriding = anyOf([
  String.raw`\bos\._exit\(|\bsys\.exit\(0?\)|\bpytest\.exit\((?!.*returncode=[1-9])|\bitems\[:\]\s*=\s*\[|\bSystemExit\b(?!\))|def pytest_(?:ignore_collect|pyfunc_call|runtest_makereport)\b`,
  String.raw`\bexitstatus\s*=\s*0|\bglobal(?:This)?\.(?:expect|assert|it|test|describe)\s*=[^=]|^\s*assert\.\w+\s*=[^=]`,
  String.raw`\bprocess\.(?:on\(\s*["']exit|exit\(0?\))|\bat_exit\b|\bexit!|\bstd::process::exit\(0|\bhalt\(0|\bSystem\.exit\(0|\bos\.Exit\(0`,
]);

function overridden({ path, old, new: next }: TestReading): readonly Judged[] {
  const known = new Set(changedLines(old).map(({ text }) => text.trim()));
  return changedLines(next)
    .filter(({ text }) => overriding.test(text) && !known.has(text.trim()))
    .map((line) => inNew(path, line, ['swallowed-failure', 'it decides how tests end']));
}

const catching = raw`\bcatch\b|^\s*(?:except|rescue)\b|\.catch\(|contextlib\.suppress|runCatching|\bon\s+\w+\s+catch|\.ok\(\);|std::panic::catch_unwind`;
const rethrowing = raw`\b(?:throw|raise|fail|reject|panic|done\(|next\(|assert|expect|exit|abort|t\.(?:Fatal|Error)|flunk)\b|\bassert|expect|Assert\.|XCTFail|process\.exit`;
/** What is caught stands behind these, and not what is done about it. */
const holding = /runCatching|contextlib\.suppress|catch_unwind/;
const maxBody = 8;

/** A failure is caught, and nothing is thrown in its place. */
function caught({ path, new: { lines }, old, asserted }: TestReading): readonly Judged[] {
  const known = new Set(changedLines(old).map(({ text }) => text.trim()));
  return lines.flatMap((line, index) => {
    if (
      !line.changed ||
      !catching.test(line.code) ||
      known.has(line.text.trim()) ||
      /\.catch\(\w+\)|\(done|\(next/.test(line.code) ||
      rethrowing.test(line.code.slice(line.code.search(catching) + 6))
    )
      return [];
    const body = blockFrom(lines, index);
    const rest = body.map(({ code }) => code).join('\n');
    const isBody = !holding.test(line.code);
    if ((isBody && rethrowing.test(rest)) || !isExisting(old.lines, line)) return [];
    const guards = asserted.new.some(
      ({ statement: { index: at, line: own } }) =>
        own.hunk === line.hunk && own.test === line.test && at >= index - 40 && at <= index + body.length,
    );
    return guards ? [inNew(path, line, ['swallowed-failure', 'a failure is caught'])] : [];
  });
}

/** The lines below that are indented more. */
function blockFrom(lines: readonly Line[], index: number): readonly Line[] {
  const [own] = lines.slice(index, index + 1);
  const below = lines.slice(index + 1, index + 1 + maxBody);
  const end = below.findIndex(
    (each) => each.hunk !== own?.hunk || (each.code.trim() !== '' && each.indent <= (own?.indent ?? 0)),
  );
  return end < 0 ? below : below.slice(0, end);
}

function isExisting(old: readonly Line[], { test }: Line): boolean {
  return old.some((each) => each.test === test);
}

const leaving = raw`^\s*(?:if\b.*[\s)]|.*\b(?:else|unless|if)\b.*)?\breturn(?:\s+(?:nil|None|null|undefined|Ok\(\(\)\)))?\s*;?\s*\}?;?\s*$|^\s*return(?:\s+Ok\(\(\)\))?;?\s*(?:unless|if)\b|\?:\s*return\b`;

/** The test returns before it asserts. */
function left({ path, new: { lines }, old, asserted }: TestReading): readonly Judged[] {
  const known = new Set(changedLines(old).map(({ text }) => text.trim()));
  return lines.flatMap((line, index) => {
    if (
      !line.changed ||
      line.test === '' ||
      !leaving.test(line.code) ||
      known.has(line.text.trim()) ||
      !isExisting(old.lines, line)
    )
      return [];
    const above = lines
      .slice(Math.max(0, index - 3), index)
      .map(({ code }) => code)
      .join(' ');
    if (
      raw`\bt\.(?:Fatal|Error)|\bfail|assert|expect\(|panic|throw|raise|=>\s*\{?\s*$|\bfunc\(|\bfunction\b|\bdef\b(?!.*\btest)`.test(
        above,
      )
    )
      return [];
    const follows = asserted.new.some(
      ({ statement }) =>
        statement.index > index && statement.line.test === line.test && statement.line.hunk === line.hunk,
    );
    return follows ? [inNew(path, line, ['swallowed-failure', 'returns before it asserts'])] : [];
  });
}

const condition = /^\s*(?:\}\s*)?(?:if|unless|when|guard)\b(?!.*\berr\b)|\?\.let\b/;

/** An assertion is made only under a condition now. */
function conditional({ path, new: next, old, asserted }: TestReading): readonly Judged[] {
  const before = new Set(asserted.old.map(({ key }) => key));
  const known = new Set(changedLines(old).map(({ text }) => text.trim()));
  return asserted.new.flatMap(({ key, statement, isFailure }) => {
    const above = next.lines[statement.index - 1];
    if (above === undefined || isFailure || !before.has(key) || above.hunk !== statement.line.hunk) return [];
    const isGuarded =
      above.changed &&
      condition.test(above.code) &&
      above.indent < statement.line.indent &&
      !known.has(above.text.trim());
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
    return [inNew(path, each.statement.line, ['swallowed-failure', 'nobody waits for'])];
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
  return next.statements.flatMap(({ changed, text, line }) => {
    const name = standIns
      .exec(text)
      ?.slice(1)
      .find((each) => each !== undefined);
    if (!changed || name === undefined || name.length < 3 || known.has(name)) return [];
    const isAsserted = asserted.new.some(
      ({ statement }) => ['', statement.line.test].includes(line.test) && statement.code.includes(`.${name}`),
    );
    if (!isAsserted && plain(name) !== plain(stem(path))) return [];
    return [inNew(path, line, ['mocked-subject', 'what is tested is replaced'])];
  });
}
