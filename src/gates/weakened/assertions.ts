import { anyOf } from '../../text/pattern/any-of.ts';
import { type Assertion, placed, type Stated } from './assertion.ts';
import { claimsOf } from './assertion-forms.ts';
import type { Piece } from './calls.ts';
import type { Family } from './languages.ts';
import { normalized, type SourceLine } from './source-line.ts';

const own = String.raw`\bassert[A-Z_]\w*\s*\(|\bexpect[A-Z_]\w*\s*\(|\b(?:verify|check|ensure)[A-Z_]\w*\s*\(`;

/** Where an assertion can begin, by the code of a line. */
const starts: Readonly<Partial<Record<Family, RegExp>>> = {
  script: new RegExp(
    String.raw`\bexpect(?:\.(?:soft|poll|element)|TypeOf)?\s*[(<]|\bassert(?:\.\w+)*\s*\(|(?:^|\s)t\.(?:is|not|true|false|truthy|falsy|deepEqual|notDeepEqual|like|throws\w*|notThrows\w*|regex|snapshot|equal|same|ok|match|fail|rejects)\(|\.should\b|^\s*\.expect\(|\b(?:strictEqual|deepEqual|deepStrictEqual|fail)\(|${own}`,
  ),
  python: new RegExp(
    String.raw`^\s*assert\b|\bself\.(?:assert\w+|fail)\s*\(|\bpytest\.(?:raises|warns|fail)\b|\.assert_\w+\(|\btesting\.assert_\w+\(|${own}`,
  ),
  go: new RegExp(
    String.raw`\b(?:assert|require|is|qt|must)\.[A-Z]\w*\(|\bt\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|\b(?:Expect|Eventually|Consistently|Ω)\(|\b[cs]\.(?:Assert|Check|Equal|NoError|Require\(\)\.\w+|Nil|True|False|Error)\(|${own}`,
  ),
  jvm: new RegExp(
    String.raw`@Test\s*\(.*\bexpected|\bassert\w*\s*[({<]|^\s*assert\s|\b(?:co)?[vV]erify\w*\s*[({]|\bfail\(|\sshould\w+\s|\bexpect(?:That|Thrown)?\s*[({]|^\s*\.(?:andExpect(?:All)?|expect\w+|is[A-Z]\w*|contains\w*|has[A-Z]\w*|statusCode|body)\(|\bshouldThrow\w*\b|^\s*(?:status|content|jsonPath|header|cookie|model|view|flash)\b(?:\([^{]*\))?\s*\{\s*\w+\(.*\}\s*$|${own}`,
  ),
  ruby: anyOf([
    String.raw`\bexpect\s*[({]`,
    String.raw`\bexpect\s+do\b`,
    String.raw`^\s*(?:assert|refute)\w*\b`,
    String.raw`\.should(?:_not)?\b`,
    String.raw`\bis_expected\b`,
    String.raw`\.must_\w+`,
    String.raw`\.wont_\w+`,
    String.raw`\bflunk\b`,
  ]),
  rust: anyOf([
    String.raw`#\[should_panic\b`,
    String.raw`\b(?:debug_|prop_)?assert\w*!\s*[([{]`,
    String.raw`\binsta::assert\w*!|\bassert_\w+\(|\.assert\(\)|\bpanic!\(`,
  ]),
  csharp: new RegExp(
    String.raw`\[ExpectedException\b|\bShould(?:\.\w+)+\s*[(<]|\b\w*Assert(?:\.\w+)+\s*[(<]|\.Should\w*\(|\bExpect\(|\.Verify\(|${own}`,
  ),
  php: /(?:\$this->|self::|static::)(?:assert\w+|expectException\w*|fail)\(|\bexpect\(|\bassert\w*\(/,
  swift: /\bXCT(?:Assert\w*|Fail|Unwrap)\s*\(|#(?:expect|require)\s*\(|\bexpect\(/,
  elixir: /^\s*(?:assert|refute)\w*\b|\bflunk\(/,
  cpp: /\b(?:EXPECT|ASSERT|CHECK|REQUIRE)(?:_\w+)?\s*\(|\bexpect\(|\bassert\(|\bXCTAssert\w*\(/,
  shell: /^\s*(?:\[\[?\s|(?:assert|refute)\w*(?:\s|$)|test\s+[-"$!])/,
};

const maxLines = 60;
const maxLength = 2_000;

/** What statements say, by their text: most stand in both versions of a file. */
export type KnownStatements = Map<string, readonly Stated[]>;

/** What the lines assert, in order. */
export function assertionsOf(
  lines: readonly SourceLine[],
  family: Family,
  known: KnownStatements = new Map(),
): readonly Assertion[] {
  const start = starts[family];
  if (start === undefined) return [];
  const found: Assertion[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index];
    const at = line === undefined || line.blank ? -1 : line.code.search(start);
    if (line === undefined || at < 0) continue;
    if (noAssertion.test(line.code)) continue;
    const statement = statementAt(lines, index, begin(line, at));
    const changed = lines.slice(statement.start, statement.end).some((each) => each.changed);
    for (const stated of statedBy(statement.piece, family, known))
      found.push(placed(stated, { index: statement.start, changed }));
    // What stands in a block that is given to an assertion may assert more.
    if (statement.start < index || !takesBlock.test(line.code)) index = Math.max(index, statement.end - 1);
  }
  return found;
}

const noAssertion = anyOf([
  String.raw`\bexpect\.extend\b`,
  String.raw`\bassertAll\b`,
  String.raw`\bassertSoftly\b`,
  String.raw`^\s*(?:import|from|use|using|func|def|fun|function|export)\b`,
]);

const takesBlock = /\{(?:\s*\(?[\w, ]+\)?\s+in)?\s*$|\bdo(?:\s*\|[^|]*\|)?\s*$/;

interface Statement {
  readonly start: number;
  readonly end: number;
  readonly piece: Piece;
}

/** The column where a statement begins: what matches, or the line if its subject stands in front. */
function begin({ code }: SourceLine, at: number): number {
  const found = code.slice(at);
  // `request(app).get("/").expect(200)` expects something of the answer, and nothing of 200.
  if (/^expect\(/.test(found) && code.charAt(at - 1) === '.') return at - 1;
  return /^\s*(?:\.|should)/.test(found) ? code.search(/\S/) : at + found.search(/\S/);
}

/** Lines up to the one that closes all brackets, and those that go on with a call. */
function statementAt(lines: readonly SourceLine[], from: number, column: number): Statement {
  const start = failureCondition(lines, from);
  const first = lines[start];
  const texts: string[] = [];
  const codes: string[] = [];
  let depth = 0;
  let length = 0;
  let end = start;
  for (; end < lines.length && end < start + maxLines && length < maxLength; end++) {
    const line = lines[end];
    if (line === undefined || line.hunk !== first?.hunk) break;
    const isChained = /^\s*(?:\?\.|\.(?!\.))/.test(line.code);
    if (end > from && depth <= 0 && !isChained && !opensBlock(codes.at(-1) ?? '')) break;
    const cut = end === from && start === from ? column : line.text.search(/\S|$/);
    const code = line.code.slice(cut);
    depth += depthOf(code);
    texts.push(line.text.slice(cut));
    codes.push(code);
    length += code.length;
    // The condition of a failure closes with the block that it opens.
    if (start < from && end >= from) {
      end++;
      break;
    }
  }
  return { start, end: Math.max(end, from + 1), piece: { text: texts.join(' '), code: codes.join(' ') } };
}

function opensBlock(code: string): boolean {
  return /^expect\s+do\b/.test(code);
}

/** `if got != want {` above `t.Errorf(…)`. */
function failureCondition(lines: readonly SourceLine[], index: number): number {
  const line = lines[index];
  if (line === undefined || !/\bt\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(/.test(line.code))
    return index;
  for (let at = index - 1; at >= Math.max(0, index - 3); at--) {
    const above = lines[at];
    if (above === undefined || above.hunk !== line.hunk) break;
    if (above.indent < line.indent && /^\s*(?:\}\s*else\s+)?if\b/.test(above.code)) return at;
  }
  return index;
}

function depthOf(code: string): number {
  let depth = 0;
  for (const sign of code) {
    if (sign === '(' || sign === '[' || sign === '{') depth++;
    else if (sign === ')' || sign === ']' || sign === '}') depth--;
  }
  return depth;
}

function statedBy(whole: Piece, family: Family, known: KnownStatements): readonly Stated[] {
  const place = `${whole.text}\0${whole.code}`;
  const found = known.get(place) ?? read(withinBrackets(whole), family);
  known.set(place, found);
  return found;
}

function read(piece: Piece, family: Family): readonly Stated[] {
  const key = normalized(piece.text);
  const shown = piece.text.replace(/\s+/g, ' ').trim().slice(0, 120);
  return claimsOf(piece, family).map((claim) => ({
    key,
    shown,
    subject: normalized(claim.subject),
    verb: claim.verb,
    expected: normalized(claim.expected),
    arguments: claim.arguments,
    negated: claim.negated,
    strength: claim.strength,
  }));
}

/** Without what closes a bracket that was opened before. */
function withinBrackets({ text, code }: Piece): Piece {
  let depth = 0;
  for (let at = 0; at < code.length; at++) {
    const sign = code.charAt(at);
    if (sign === '(' || sign === '[' || sign === '{') depth++;
    else if (sign === ')' || sign === ']' || sign === '}') depth--;
    if (depth < 0) return { text: text.slice(0, at).trim(), code: code.slice(0, at).trim() };
  }
  const trimmed = text.trimEnd().replace(/;$/, '');
  const front = trimmed.length - trimmed.trimStart().length;
  return { text: trimmed.slice(front), code: code.slice(front, trimmed.length) };
}
