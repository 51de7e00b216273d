import { anyOf } from '../../text/pattern/any-of.ts';

/** How much is asserted, and how. */
export interface Strength {
  /** 0 if it cannot fail, 1 for something, 2 for a part and 3 for the whole. */
  readonly strength: number;
  readonly throws: boolean;
  /** The words that say how it asserts, such as `tobe`. */
  readonly verb: string;
}

const whole =
  /exactly|strict|identical|snapshot|calledwith|calledonce|calledtimes|nthcalled|lastcalled|receive/;
const part = anyOf([
  String.raw`contain|include|match|greater|less|atleast|atmost|length|size|count|start|end|between|closeto|near|within|almost|like|property|subset|regex|oneof|approx|delta|more|elementsmatch|key|\b(?:lt|gt|gte|lte|in|notin|matches!?)\b|haveattribute|hasvalue`,
]);
const some = anyOf([
  String.raw`not_?(?:be_?)?(?:null|nil|none|undefined|empty|blank)|truthy|falsy|defined|exist|instance|\btype|kindof|called|\b(?:true|false|ok|error|noerror|some|any)\b|is_?err|is_?ok|success|present|visible|inthedocument|haveoccurred`,
]);
const throwing = anyOf(
  [
    String.raw`throw|raise|reject|should_panic|is_?err\b|unwrap_err|wanterr|expectedexception|expectexception|panics|\berror_?is\b|\berror_?as\b|\berror\b`,
  ],
  'i',
);
const generic = /^(?:Exception|Throwable|RuntimeException|Error|StandardError|BaseException|any|object)$/;
const wildcards = anyOf(
  [
    String.raw`\b(?:any\w*\(|expect\.any|anything\(|ANY\b|objectContaining|arrayContaining|stringContaining|stringMatching|Arg\.Any|mock\.Anything|ignoring\w*|Ignore\w+|Excluding|atLeast\w*|hash_including)`,
  ],
  'g',
);
const ofTruth = anyOf([
  String.raw`^(?:\w+[.:>-]+)*(?:assert|assert_?that|assert!|assert_?true|assert_?false|assert\.?ok|true|false|ok|xctassert\w{0,5}|#?require|#?expect|expect_?true|expect_?false|prop_assert!?|refute|check|ensure|truthy|istrue|isfalse)$`,
]);

/** What of the code says how much is asserted: a word for it, or else the expression that has to be true. */
export function strengthOf({ text, code }: Written, isFailure: boolean): Strength {
  if (cannotFail(text)) return { strength: 0, throws: false, verb: '' };
  if (isFailure) return { strength: ofExpression(code, true), throws: false, verb: '' };
  const verb = verbOf(code);
  if (
    throwing.test(verb) ||
    /ThrownBy\(|ExceptionOf\(|\.rejects\b/.test(code) ||
    /#\[should_panic|unwrap_err\(|\bis_err\(|matches!\(.*\bErr\b/.test(code)
  )
    return { strength: thrown(text, verb), throws: true, verb };
  const loose = Math.min(1, 0.5 * (code.match(wildcards)?.length ?? 0));
  const strength = ofTruth.test(verb) ? ofExpression(code, false) : ofVerb(verb, code);
  return { strength: Math.max(0.6, strength - loose), throws: false, verb };
}

export interface Written {
  readonly text: string;
  readonly code: string;
}

const fluent = anyOf([
  String.raw`\b(?:expect\w*|assert_?[tT]hat\w*|Expect|Ω|verify\w*|Verify|Eventually|Consistently)(?:\.(?:soft|poll))?\s*(?:<[^>]*>)?[({]`,
]);

/** The words that say how it is asserted, in lower case and without what is in brackets. */
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
    /^(?:.*?(?:=|\breturn|\bawait|\btry[?!]?|\bwith|=>)\s+)*((?:[\w:]+(?:\.|->))*[\w#]+!?)/.exec(code)?.[1] ??
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
    anyOf([
      String.raw`(?:[rR]aises|[tT]hrow\w*|raise_error|[iI]nstance\w*|ErrorIs|ErrorAs)\s*[(<]\s*(?:t, err, )?(?:&?\w+(?:\.|::))*([A-Z]\w+)`,
    ]).exec(text) ?? [];
  const isNamed = [
    ...names.filter((name) => /Error|Exception|Err|::|Fault|Failure|Invalid|Panic/.test(name)),
    given,
  ].some((name) => name !== '' && !generic.test(name) && !frameworkNames.test(name));
  const hasMessage = messages.test(text);
  return 1 + (isNamed ? 1 : 0) + (hasMessage ? 0.6 : 0) + (/is_?err/.test(verb) ? -0.1 : 0);
}

const messages = anyOf([
  String.raw`\bmatch\s*=|[mM]essage|expected\s*=|(?:toThrow\w*|raise_error|throw|Regex|rejects\.\w+|ErrorContains|EqualError)\([^)]*["'\x60/]|assert_raises\w*.*/.*/`,
]);

const frameworkNames =
  /^(?:Assert\w*|XCT\w*|Should|Expect|Task|Throw\w*|IsError|Error|NoError|HaveOccurred|MatchError|Err)$/;

const constant = String.raw`(?:true|false|1|0|True|False|"\w*"|'\w*')`;
const never = [
  new RegExp(
    String.raw`(?:expect|assert(?:Equals|_equal|_eq!|\.equal|\.strictEqual|That|\.Equal|Same)?)\(\s*(${constant})\s*\)?(?:\.(?:to\.)?(?:be|toBe|toEqual|equal|isEqualTo|eq)\(|,)\s*\1\s*\)`,
  ),
  anyOf([
    String.raw`^(?:assert\s*!?\(?|assert\.ok\(|assertTrue\(|self\.assertTrue\(|assert\.True\(t, |Assert\.True\(|XCTAssertTrue\(|expect\(true\)\.toBeTruthy\(|t\.pass\()\s*(?:true|True|1)?\s*\)?;?$`,
  ]),
  /\|\|\s*(?:true|True)\b|\bor True\b/,
  anyOf([
    String.raw`(?:length|size|count|\blen\([^)]*\)|\))\s*>=\s*0\b|toBeGreaterThanOrEqual\(0\)|isGreaterThanOrEqualTo\(0\)|isNotNegative`,
  ]),
  anyOf([
    String.raw`(?:Equals?|equal|_eq!?|Same)\(\s*([\w.]+(?:\(\))?)\s*,\s*\1\s*\)|expect\(([\w.]+(?:\(\))?)\)\.to(?:Be|Equal|StrictEqual)\(\2\)`,
  ]),
  /^assert\s*\([^()]*(?:\([^()]*\)[^()]*)*,\s*f?["'][^"']*["']\s*\)$/,
  /atLeast\s*(?:=\s*|\()0\b|\bassert\s+(?:\w+)\s+or\s+not\b/,
];

/** Whether an assertion holds whatever the tested code does. */
function cannotFail(text: string): boolean {
  return never.some((pattern) => pattern.test(text.trim()));
}
