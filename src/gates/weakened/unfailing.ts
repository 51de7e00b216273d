import { anyOf } from '../../text/pattern/any-of.ts';
import { raw } from '../reading/raw.ts';
import { holds } from '../reading/work.ts';
import type { Assertion } from './assertions.ts';
import { type Change, changedLines, stem, type TestReading } from './change.ts';
import { inNew, type Judged } from './finding.ts';
import type { Line } from './lines.ts';

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

/** In the same test, and the same part of the diff. */
function isBeside(line: Line, other: Line): boolean {
  return line.test === other.test && line.hunk === other.hunk;
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
