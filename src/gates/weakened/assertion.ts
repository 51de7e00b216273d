import { anyOf } from '../../text/pattern/any-of.ts';
/** What a statement says about one thing, wherever it stands. */
export interface Stated {
  /** Its whole text without spaces, for telling whether it has only moved. */
  readonly key: string;
  /** As a person reads it. */
  readonly shown: string;
  readonly subject: string;
  /** `equal`, `toBeCloseTo`, `>`; `row` and `value` for what a test is fed with. */
  readonly verb: string;
  readonly expected: string;
  readonly arguments: readonly string[];
  readonly negated: boolean;
  readonly strength: number;
}

/** What a test states about one thing. */
export interface Assertion extends Stated {
  /** Index of its first line in its version of the file. */
  readonly index: number;
  /** Some of its lines are only in this version. */
  readonly changed: boolean;
  /** The subject and what is expected, with what local names stand for, where that differs. */
  readonly meaning?: string | undefined;
  readonly value?: string | undefined;
}

/** Where an assertion stands, and what its names stand for there. */
type Place = Pick<Assertion, 'index' | 'changed' | 'meaning' | 'value'>;

/** Written out, since `...` takes a microsecond, and a large change has as many assertions as lines. */
export function placed(stated: Stated, { index, changed, meaning, value }: Place): Assertion {
  return {
    index,
    changed,
    key: stated.key,
    shown: stated.shown,
    subject: stated.subject,
    meaning,
    value,
    verb: stated.verb,
    expected: stated.expected,
    arguments: stated.arguments,
    negated: stated.negated,
    strength: stated.strength,
  };
}

/** How much an assertion rules out. Numbers between these are kinds between them. */
export const strengths = {
  /** Nothing. */
  none: 0,
  /** That something is there. */
  existence: 1,
  /** Its type, or that it was called. */
  kind: 1.5,
  /** A part of it, or bounds. */
  part: 2,
  /** How many there are. */
  size: 2.5,
  exact: 3,
} as const;

const byVerb: readonly (readonly [RegExp, number])[] = [
  [
    /^(?:not)?(?:be)?(?:truthy|defined|exists?|present|any|bepresent|some|ok|noerror|success|succeeds)$/,
    strengths.existence,
  ],
  [/^(?:is|be)?not(?:be)?(?:null|nil|none|undefined|empty|zero|blank)$/, strengths.existence],
  [/^(?:nothrow|doesnotthrow|doesnotraise|notthrow|nothrows|errorfree|isvalid|valid)/, strengths.existence],
  [/^bean?$|^(?:is)?(?:instance|kindof|an?instance|typeof|type|an?$|isa|respondto|function)/, strengths.kind],
  [/^(?:have)?(?:been)?(?:called|received|invoked|calledonce|returned)$/, strengths.kind],
  [/^error(?:asf?)?$/, strengths.kind],
  // PHPUnit and the rule of JUnit 4 announce what will be thrown: its type, a part of its message.
  [/^expect(?:ed)?(?:exception|message|cause)/, strengths.part],
  [/^is\dxx/, strengths.part],
  [
    /^(?:contains?exactly|contains?only|contains?(?:exactly)?inanyorder|matcharray|itemsequal)/,
    strengths.exact,
  ],
  [/times$|^callcount/, 2.5],
  [/almost|close|approx|delta|within|epsilon/, 2.5],
  [
    anyOf([
      '^(?:not)?in$',
      '^has(?:item|key|value|entry)',
      'contain',
      'include',
      'match',
      'regex',
      'greater',
      'less',
      'above',
      'below',
      'between',
      'atleast',
      'atmost',
      'start',
      'end',
      'prefix',
      'suffix',
      'subset',
      'superset',
    ]),
    strengths.part,
  ],
  [/length|len$|size|count/, strengths.size],
  [/throw|raise|reject|property|key|visible|inthedocument|panic/, strengths.part],
];

/** By the name of the matcher, as any library spells it. */
export function strengthOf(verb: string, negated: boolean): number {
  const plain = verb.toLowerCase().replace(/[_.\s!?]|^assert|^xctassert|^to(?=[a-z]{3})/g, '');
  const isThere = /^(?:be)?(?:null|nil|none|undefined|empty|zero|equals?|eq|same|toequal|be|blank)$/.test(
    plain,
  );
  if (negated && isThere) return strengths.existence;
  if (/^not(?:equal|eq|same|deep)|^ne$/.test(plain)) return strengths.existence;
  const found = byVerb.find(([pattern]) => pattern.test(plain));
  return found?.[1] ?? strengths.exact;
}

/** What accepts anything of its kind in place of a value. */
export const wildcard = anyOf([
  String.raw`\bexpect\.(?:any|anything|objectContaining|arrayContaining|stringContaining|stringMatching)\b`,
  String.raw`\b(?:mock\.)?ANY\b`,
  String.raw`\bany(?:String|Int|Long|Object|List|Map)?\(\)`,
  String.raw`\bgomock\.Any\b`,
  String.raw`\bmock\.Anything\b`,
  String.raw`\bsinon\.match\b`,
  String.raw`\banything\b`,
  String.raw`\b(?:an_)?instance_of\b`,
  String.raw`\bis\(A\)`,
  String.raw`\bkind_of\b`,
  String.raw`\bIt\.IsAny\b`,
  String.raw`\bArg\.Any\b`,
]);

/** Says nothing whatever the code does: two literals, or a thing compared with itself. */
export function isEmpty({ subject, expected, verb, strength, negated }: Assertion): boolean {
  if (verb === 'row' || verb === 'value' || verb === 'fail') return false;
  if (/(?:\|\|\s*(?:true|1)|\bor\s+True)\)?$/.test(subject)) return true;
  if (/^(?:\|\||or\b)\s*(?:true|1)\b/i.test(expected) || /\|\|\s*true$|\bor\s+True$/.test(expected))
    return true;
  if (/^[A-Z]\w*[a-z]\w*$/.test(verb) && !knownVerb.test(verb)) return false;
  if (!isLiteral(subject) && subject !== expected) return false;
  if (subject === '' || negated) return false;
  if (isLiteral(subject)) return expected === '' ? strength < strengths.part : isLiteral(expected);
  return strength >= strengths.exact && /^[\w.$]+$/.test(subject);
}

const knownVerb = anyOf([
  '^(?:Not)?(?:Equal|Eq|True|False|Same|Deep|Strict|Nil|Null|None|Is|In$|Be|That|Zero|Contain|Match)',
  '^(?:Not)?(?:Greater|Less|Almost|Close|Exact)',
]);

export function isLiteral(text: string): boolean {
  return /^(?:-?\d[\d_.]*\w{0,3}|"[^"]*"|'[^']*'|`[^`$]*`|true|false|True|False|null|None|nil|undefined)$/.test(
    text,
  );
}

/** Those on the lines from one index up to another; all are sorted by their lines. */
export function between(assertions: readonly Assertion[], from: number, to: number): readonly Assertion[] {
  let [low, high] = [0, assertions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((assertions[middle]?.index ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while ((assertions[end]?.index ?? to) < to) end++;
  return assertions.slice(low, end);
}
