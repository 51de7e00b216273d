import { anyOf } from '../../text/pattern/any-of.ts';
import type { Statement } from './lines.ts';
import { type Strength, strengthOf } from './strength.ts';

/** What a statement of a test says of the tested code. */
export interface Assertion extends Strength {
  readonly statement: Statement;
  /** Its text without spaces, however it is quoted and spread over lines. */
  readonly key: string;
  /** The names in it, without those that frameworks use to assert. */
  readonly written: ReadonlySet<string>;
  /** The same, with what local variables stand for in their place. */
  readonly names: ReadonlySet<string>;
  /** The strings and numbers in it. */
  readonly literals: ReadonlySet<string>;
  /** The first of them, which differs between libraries. */
  readonly head: string;
  /** It is the failure below a condition, as Go writes it. */
  readonly isFailure: boolean;
}

const begins = new RegExp(
  [
    String.raw`(?:^|[\s;({!.>@:])(?:expect(?!ed|ation|ing)|assert|refute|prop_assert|XCTAssert|XCTUnwrap|Assert|Expect(?!ed)|EXPECT|ASSERT)\w*!?\s*(?:[.:({[<!]|->|\s\S)`,
    String.raw`^(?:\w+\.)?(?:check|require|Require|ensure|REQUIRE|CHECK|Ω|Eventually|Consistently|Mockito\.verify|coVerify|verify[A-Z])\w*!?\s*(?:\.\w+)?[(<{]|^(?:verify\s*[({].*[)}]\.|verify\s*(?:\([^()]*\)\s*)?\{)|\.Verify\(`,
    String.raw`\bt\.(?:Error|Fatal|is|deepEqual|true|false|truthy|falsy|throws\w*|like|not|regex|snapshot)\w*\(`,
    String.raw`(?:\.|->|\b)(?:should\w*|Should\w*|must_\w+)(?:\(|\s+(?:==|not|be|eq|include|match|have|raise|contain|[A-Z"'\d])|\.)|\bshould(?:Be|Throw|Not|Have|Contain)\w*\b`,
    String.raw`\b(?:is_expected|pytest\.raises|andExpect|toThrow\w*)\b|^\}?\)*\.(?:to|not|rejects|resolves|should)\b|#\[should_panic|[?.]\(\)?unwrap_err\(`,
  ].join('|'),
);

/** Words before brackets that only look like assertions. */
const others = anyOf([
  String.raw`^(?:import|from|use|using|package|const \{|require[(_]|require\s+["']|require_relative|require ["']|export|func\s|def\s|function\s|fun\s|fn\s|class\s|public |private |protected |static |pub |async def |@|expect_any_instance|\}?\s*catch\b)|(?:=|\()\s*require\(|\bverify\s*=`,
]);

/** Whether and how a statement asserts; the one above it may be the condition of a failure. */
export function assertionOf(statement: Statement, above: Statement | undefined): Assertion | undefined {
  const { line, text: whole } = statement;
  const code = statement.code.trim();
  if (!begins.test(code) || others.test(code) || (line.declares && /[{(>]$|\bdo$|:$/.test(code)))
    return undefined;
  if (
    /^\}?\)*;?$|\b(?:assert|t|Assert|expect)?\.?fail\(|^expect\.(?:assertions|hasAssertions|extend)/.test(
      code,
    )
  )
    return undefined;
  const isFailure = /^(?:\w+\.)*t\.(?:Error|Fatal)\w*\(/.test(code);
  const isUnder = isFailure && above !== undefined && /^(?:\}\s*else\s+)?if\b/.test(above.code.trim());
  const said = isUnder ? above : statement;
  return {
    statement: isUnder ? { ...statement, changed: statement.changed || above.changed } : statement,
    key: keyOf(isUnder ? `${above.text} ${whole}` : whole),
    written: new Set(namesIn(said.text)),
    names: new Set(namesIn(said.text)),
    head: isFailure ? 'if' : headOf(code),
    literals: new Set(literalsIn(said.text)),
    isFailure,
    ...(isFailure && !isUnder
      ? { strength: 1, throws: false, verb: '' }
      : strengthOf({ text: said.text, code: said.code.trim() }, isFailure)),
  };
}

/** `assertEquals` and `assertTrue` are of one library, `assertThat` and `expect` are of others. */
function headOf(code: string): string {
  const word =
    anyOf([
      String.raw`\b(?:expect|assert_?[tT]hat|assert|Assert|XCTAssert|require|verify|should|Should|Expect|refute|must|is_expected|#expect|cy)`,
    ]).exec(code)?.[0] ?? '';
  const isMethod = /^(?:self|this|\$this|c|t)(?:\.|->)/.test(code) ? 'self.' : '';
  return isMethod + (word === 'refute' ? 'assert' : word);
}

export function keyOf(text: string): string {
  return text
    .replace(/\b(?:await|return|void)\b|[\s;]/g, '')
    .replace(/['`]/g, '"')
    .replace(/,(?=[)\]}])/g, '');
}

const vocabulary = new Set(
  'expect assert assertion assertions assertThat assertEquals assertTrue should must verify ensure require refute to be not is eq equal equals deep that have has of toBe toEqual await async new self this t it Assert Should Be Expect Equal XCTAssert XCTAssertEqual assert_eq assert_equal toStrictEqual if got want err const let var return true false null nil None True False undefined msg message testing pytest raises Error Exception def function func class and or in for with then do end never times any verify eq_ is_ assertEqual'.split(
    ' ',
  ),
);

const frameworks = anyOf([
  '^(?:assert|expect|XCT|should|to(?:Be|Equal|Have|Match|Contain|Throw|Strict|Return|Resolve|Reject)|is(?:Equal|Same|Not|Null|True|False|Empty|In))',
]);

export function namesIn(text: string): readonly string[] {
  const keyed = text.replace(/\[\s*["':]([\w-]+)["']?\s*\]/g, '.$1');
  const names = keyed.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, ' ').match(/[A-Za-z_$][\w$-]*/g) ?? [];
  return names.filter((name) => !vocabulary.has(name) && !frameworks.test(name));
}

export function literalsIn(text: string): readonly string[] {
  const found = text.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|(?<![\w.])-?\d[\d_.]*/g) ?? [];
  return found
    .map((each) =>
      each
        .replace(/^["'`]|["'`]$/g, '')
        .replaceAll('_', '')
        .trim(),
    )
    .filter((each) => each !== '');
}
