import { raw } from '../../text/regexp.ts';
import type { Statement } from './statements.ts';

/** What a statement of a test says of the tested code. */
export interface Assertion extends Strength {
  readonly statement: Statement;
  /** Its text without spaces, however it is quoted and spread over lines. */
  readonly key: string;
  /** The names in it, without those that frameworks use to assert. */
  readonly written: ReadonlySet<string>;
  /** These are the names with what local variables stand for in their place. */
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
const others = raw`^(?:import|from|use|using|package|const \{|require[(_]|require\s+["']|require_relative|require ["']|export|func\s|def\s|function\s|fun\s|fn\s|class\s|public |private |protected |static |pub |async def |@|expect_any_instance|\}?\s*catch\b)|(?:=|\()\s*require\(|\bverify\s*=`;

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
      ? { strength: 1, verb: '' }
      : strengthOf(said.text, said.code.trim(), isFailure)),
  };
}

/** `assertEquals` and `assertTrue` are of one library, `assertThat` and `expect` are of others. */
function headOf(code: string): string {
  const word =
    raw`\b(?:expect|assert_?[tT]hat|assert|Assert|XCTAssert|require|verify|should|Should|Expect|refute|must|is_expected|#expect|cy)`.exec(
      code,
    )?.[0] ?? '';
  const isMethod = /^(?:self|this|\$this|c|t)(?:\.|->)/.test(code) ? 'self.' : '';
  return isMethod + (word === 'refute' ? 'assert' : word);
}

function keyOf(text: string): string {
  return text
    .replace(/^\s*(?:(?:const|let|var|val)\s+)?\w+\s*:?=(?![=>])|\b(?:await|return|void)\b|[\s;]/g, '')
    .replace(/['`]/g, '"')
    .replace(/,(?=[)\]}])/g, '');
}

const vocabulary = new Set(
  'expect assert assertion assertions assertThat assertEquals assertTrue should must verify ensure require refute to be not is eq equal equals deep that have has of toBe toEqual await async new self this t it Assert Should Be Expect Equal XCTAssert XCTAssertEqual assert_eq assert_equal toStrictEqual if got want err const let var return true false null nil None True False undefined msg message testing pytest raises Error Exception def function func class and or in for with then do end never times any verify eq_ is_ assertEqual'.split(
    ' ',
  ),
);

const frameworks = raw`^(?:assert|expect|XCT|should|to(?:Be|Equal|Have|Match|Contain|Throw|Strict|Return|Resolve|Reject)|is(?:Equal|Same|Not|Null|True|False|Empty|In))`;

export function namesIn(text: string): readonly string[] {
  const keyed = text.replaceAll('->', '.').replace(/(?<=[\w\])])\[\s*["':]([\w-]+)["']?\s*\]/g, '.$1');
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

/** How much is asserted, and how. */
interface Strength {
  /** 0 if it cannot fail, 1 for something, 2 for a part and 3 for the whole. */
  readonly strength: number;
  /** The words that say how it asserts, such as `tobe`. */
  readonly verb: string;
}

const whole =
  /exactly|strict|identical|snapshot|calledwith|calledonce|calledtimes|nthcalled|lastcalled|receive/;
const part = raw`contain|include|match|greater|less|atleast|atmost|length|size|count|start|end|between|closeto|near|within|almost|like|property|subset|regex|oneof|approx|delta|more|elementsmatch|key|\b(?:lt|gt|gte|lte|in|notin|matches!?)\b|haveattribute|hasvalue`;
const some = raw`not_?(?:be_?)?(?:null|nil|none|undefined|empty|blank)|truthy|falsy|defined|exist|instance|\btype|kindof|called|\b(?:true|false|ok|error|noerror|some|any)\b|is_?err|is_?ok|success|present|visible|inthedocument|haveoccurred`;
const throwing = raw`(?i)throw|raise|reject|should_panic|is_?err\b|unwrap_err|wanterr|expectedexception|expectexception|panics|\berror_?is\b|\berror_?as\b|\berror\b`;
const generic = /^(?:Exception|Throwable|RuntimeException|Error|StandardError|BaseException|any|object)$/;
const wildcards = new RegExp(
  raw`\b(?:any\w*\(|expect\.any|anything\(|ANY\b|objectContaining|arrayContaining|stringContaining|stringMatching|Arg\.Any|mock\.Anything|ignoring\w*|Ignore\w+|Excluding|atLeast\w*|hash_including)`,
  'g',
);
const ofTruth = raw`^(?:\w+[.:>-]+)*(?:assert|assert_?that|assert!|assert_?true|assert_?false|assert\.?ok|true|false|ok|xctassert\w{0,5}|#?require|#?expect|expect_?true|expect_?false|prop_assert!?|refute|check|ensure|truthy|istrue|isfalse)$`;

/**
 * Finds what of the code says how much is asserted: a word for it, or else the expression that has to be
 * true.
 */
function strengthOf(text: string, code: string, isFailure: boolean): Strength {
  if (cannotFail(text)) return { strength: 0, verb: '' };
  if (isFailure) return { strength: ofExpression(code, true), verb: '' };
  const verb = verbOf(code);
  if (
    throwing.test(verb) ||
    /ThrownBy\(|ExceptionOf\(|\.rejects\b/.test(code) ||
    /#\[should_panic|unwrap_err\(|\bis_err\(|matches!\(.*\bErr\b/.test(code)
  )
    return { strength: thrown(text, verb), verb };
  const loose = Math.min(1, 0.5 * (code.match(wildcards)?.length ?? 0));
  const strength = ofTruth.test(verb) ? ofExpression(code, false) : ofVerb(verb, code);
  return { strength: Math.max(0.6, strength - loose), verb };
}

const fluent = raw`\b(?:expect\w*|assert_?[tT]hat\w*|Expect|Ω|verify\w*|Verify|Eventually|Consistently)(?:\.(?:soft|poll))?\s*(?:<[^>]*>)?[({]`;

/** Finds the words that say how it is asserted, in lower case and without what is in brackets. */
function verbOf(code: string): string {
  const start = fluent.exec(code);
  const inner = (written: string) =>
    written
      .replace(/<[^<>]*(?:<[^<>]*>)?[^<>]*>/g, '')
      .replace(/\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)?/g, ' ')
      .toLowerCase();
  if (start !== null) {
    const rest = inner(code.slice(endOfBrackets(code, start.index + start[0].length - 1))).trim();
    if (/^[.>\w]|^->/.test(rest)) return rest;
  }
  const chained =
    /(?:\.|->|\s|^\}?\)*\.)((?:should|must_|Should|shouldBe|to|not|rejects|resolves|andExpect)\w*\b.*)$/.exec(
      code,
    );
  if (chained !== null && start === null) return inner(chained[1] ?? '');
  const named =
    /^(?:.*?(?:=|\breturn|\bawait|\btry[?!]?|\bwith|=>)\s+)*((?:\w+(?:\.|->|::))*[\w#]+!?)/.exec(code)?.[1] ??
    '';
  return named
    .toLowerCase()
    .replace(/^(?:\w+(?:\.|->|::))*(?=\w)/, '')
    .replace(/^(?:self|this)\W+/, '');
}

function endOfBrackets(code: string, from: number): number {
  let depth = 0;
  for (let at = from; at < code.length; at++) {
    if ('({'.includes(code.charAt(at))) depth++;
    if (')}'.includes(code.charAt(at)) && --depth === 0) return at + 1;
  }
  return code.length;
}

function ofVerb(verb: string, code: string): number {
  const isNegated = /\bnot\b|not_to|refute|isnot|notequal|\bnever\b|doesnot|_not_|assertnot/.test(verb);
  if (/\.(?:length|size|count)\b(?:\(\))?\s*[,)]|\blen\(/.test(code)) return 2;
  if (whole.test(verb)) return 3;
  if (part.test(verb)) return 2;
  if (
    /(?:be|is|equals?|eq|same)\b(?:\(|\s)(?:\s*|[^()]*(?:\([^()]*\))?[^()]*,\s*)(?:true|false)\b/i.test(code)
  )
    return 1.4;
  if (some.test(verb)) return isNegated && /called|exist/.test(verb) ? 3 : 1;
  if (isNegated) return /null|nil|undefined|none|empty|throw/.test(verb) ? 1 : 2;
  return 3;
}

function ofExpression(code: string, isFailure: boolean): number {
  if (isFailure && /\berr\w*\s*[!=]=\s*nil\s*\{/.test(code)) return 1;
  if (/(?:\.|\b)(?:length|size|count)\b|\blen\(/.test(code)) return 2;
  if (/matches!|\bIs\(|\bAs\(/.test(code)) return 2;
  if (/(?:==|\bis)\s*(?:True|False|true|false)\b/.test(code)) return 1.4;
  const exact = isFailure ? /!=|!.*[eE]qual|[dD]iff/ : /===?|[eE]qual|\.eq\(|\bis (?:None|nil|True|False)|~=/;
  if (exact.test(code)) return 3;
  return /[<>]|!=|\b(?:not )?in\b|contains|includes|starts_?[wW]ith|has_|match|any\(/.test(code) ? 2 : 1.2;
}

/** A class that is not everybody's, and a message, make it more than any failure. */
function thrown(text: string, verb: string): number {
  const names = text.match(/\b[A-Z]\w+|\b[a-z]+(?:::\w+)+/g) ?? [];
  const [, given = ''] =
    raw`(?:[rR]aises|[tT]hrow\w*|raise_error|[iI]nstance\w*|ErrorIs|ErrorAs)\s*[(<]\s*(?:t, err, )?(?:&?\w+(?:\.|::))*([A-Z]\w+)`.exec(
      text,
    ) ?? [];
  const isNamed = [
    ...names.filter((name) => /Error|Exception|Err|::|Fault|Failure|Invalid|Panic/.test(name)),
    given,
  ].some((name) => name !== '' && !generic.test(name) && !frameworkNames.test(name));
  const hasMessage = messages.test(text);
  return 1 + (isNamed ? 1 : 0) + (hasMessage ? 0.6 : 0) + (/is_?err/.test(verb) ? -0.1 : 0);
}

const messages = raw`\bmatch\s*=|[mM]essage|expected\s*=|(?:toThrow\w*|raise_error|throw|Regex|rejects\.\w+|ErrorContains|EqualError)\([^)]*["'\x60/]|assert_raises\w*.*/.*/`;

const frameworkNames =
  /^(?:Assert\w*|XCT\w*|Should|Expect|Task|Throw\w*|IsError|Error|NoError|HaveOccurred|MatchError|Err)$/;

const constant = String.raw`(?:true|false|1|0|True|False|"\w*"|'\w*')`;
const never = [
  new RegExp(
    String.raw`(?:expect|assert(?:Equals|_equal|_eq!|\.equal|\.strictEqual|That|\.Equal|Same)?)\(\s*(${constant})\s*\)?(?:\.(?:to\.)?(?:be|toBe|toEqual|equal|isEqualTo|eq)\(|,)\s*\1\s*\)`,
  ),
  raw`^(?:assert\s*!?\(?|assert\.ok\(|assertTrue\(|self\.assertTrue\(|assert\.True\(t, |Assert\.True\(|XCTAssertTrue\(|expect\(true\)\.toBeTruthy\(|t\.pass\()\s*(?:true|True|1)?\s*\)?;?$`,
  /\|\|\s*(?:true|True)\b|\bor True\b/,
  raw`(?:length|size|count|\blen\([^)]*\)|\))\s*>=\s*0\b|toBeGreaterThanOrEqual\(0\)|isGreaterThanOrEqualTo\(0\)|isNotNegative`,
  raw`(?:Equals?|equal|_eq!?|Same)\(\s*([\w.]+(?:\(\))?)\s*,\s*\1\s*\)|expect\(([\w.]+(?:\(\))?)\)\.to(?:Be|Equal|StrictEqual)\(\[?(?:\.{3})?\2\]?\)`,
  /^assert\s*\([^()]*(?:\([^()]*\)[^()]*)*,\s*f?["'][^"']*["']\s*\)$/,
  /atLeast\s*(?:=\s*|\()0\b|\bassert\s+(?:\w+)\s+or\s+not\b/,
];

/** Whether an assertion holds whatever the tested code does. */
function cannotFail(text: string): boolean {
  return never.some((pattern) => pattern.test(text.trim()));
}
