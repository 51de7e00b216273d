import { anyOf } from '../../text/pattern/any-of.ts';
import type { Family } from './languages.ts';

/** How a line keeps tests from running, or from counting. */
export type SkipKind = 'never' | 'sometimes' | 'fails' | 'only' | 'planned';

interface SkipMark {
  readonly kind: SkipKind;
  readonly pattern: RegExp;
}

const script: readonly SkipMark[] = [
  { kind: 'planned', pattern: /\b(?:it|test|describe)\.todo\s*\(/ },
  { kind: 'fails', pattern: /\b(?:it|test)(?:\.\w+)*\.(?:fails|failing|fail)\s*[(.]/ },
  {
    kind: 'only',
    pattern: /\b(?:it|test|describe|context|suite|specify|Deno\.test)(?:\.\w+)*\.only\s*[(.`]/,
  },
  { kind: 'only', pattern: /^\s*f(?:it|describe|context|specify)\s*\(|\bonly:\s*true\b/ },
  {
    kind: 'sometimes',
    pattern: /\.(?:skipIf|runIf)\s*\(|\b(?:it|test|describe)\.skip\(\s*[\w!({][^'"`]*[,)]\s*(?:$|['"`]|\(\))/,
  },
  {
    kind: 'sometimes',
    pattern: /\?\s*(?:it|test|describe)(?:\.skip)?\s*:\s*(?:it|test|describe)(?:\.skip)?/,
  },
  { kind: 'sometimes', pattern: /\bskip:\s*(?!true\b|false\b|undefined\b)[\w!(]/ },
  {
    kind: 'never',
    pattern: /\b(?:it|test|describe|context|suite|specify|bench|QUnit)(?:\.\w+)*\.(?:skip|fixme|ignore)\b/,
  },
  { kind: 'never', pattern: /^\s*x(?:it|test|describe|context|specify)\b\s*[(.]/ },
  { kind: 'never', pattern: /\b(?:this|ctx|t|context)\.skip\s*\(|\b(?:skip|ignore):\s*true\b|^\s*pending\(/ },
  { kind: 'never', pattern: /\bskip:\s*["'`]/ },
];

const python: readonly SkipMark[] = [
  { kind: 'sometimes', pattern: /@(?:\w+\.)*(?:skipif|skipIf|skipUnless)\b|\bpytest\.importorskip\b/ },
  {
    kind: 'fails',
    pattern: /@(?:\w+\.)*(?:xfail|expectedFailure)\b|\bpytest\.xfail\(|\bmarks=pytest\.mark\.xfail/,
  },
  {
    kind: 'never',
    pattern:
      /@(?:\w+\.)*skip\b|\b(?:pytest\.skip|self\.skipTest|unittest\.skip)\(|\bmarks=pytest\.mark\.skip\b/,
  },
  {
    kind: 'never',
    pattern: /\braise\s+(?:\w+\.)?SkipTest\b|^\s*pytestmark\s*=.*\bskip\b|\b__test__\s*=\s*False/,
  },
  { kind: 'sometimes', pattern: /^\s*pytestmark\s*=.*\bskipif\b/ },
];

const jvm: readonly SkipMark[] = [
  {
    kind: 'sometimes',
    pattern: anyOf([
      String.raw`@(?:Disabled|Enabled)(?:On|If|For|In)\w*`,
      String.raw`\bassum(?:e|ing)(?:True|That|False|Not\w*)?\s*\(`,
      String.raw`@(?:Ignore|Requires)If\b`,
    ]),
  },
  {
    kind: 'never',
    pattern: anyOf([
      String.raw`@(?:Disabled|Ignore)\b`,
      String.raw`@Test\s*\(.*\benabled\s*=\s*false`,
      String.raw`\benabled\s*=\s*false\b`,
      String.raw`^\s*x(?:test|it|should|describe|context)\s*\(`,
    ]),
  },
  { kind: 'never', pattern: /^\s*"!|\bignore\s*\(\s*"|\.ignore\b|\bthrow\s+new\s+SkipException/ },
  { kind: 'only', pattern: /^\s*f(?:it|describe)\s*\(|^\s*(?:test|it|should)\(\s*"f:/ },
];

const ruby: readonly SkipMark[] = [
  {
    kind: 'sometimes',
    pattern: /\b(?:skip|pending)\b.*\b(?:if|unless)\b|\b(?:if|unless|skip):\s*(?:->|ENV|RUBY)/,
  },
  { kind: 'only', pattern: /^\s*f(?:it|describe|context|specify|scenario)\b|\bfocus:\s*true\b|,\s*:focus\b/ },
  {
    kind: 'never',
    pattern: anyOf([
      String.raw`^\s*x(?:it|describe|context|specify|scenario|example|feature)\b`,
      String.raw`^\s*skip\b(?!\s*[:=_])`,
      String.raw`\bskip:\s*(?:true|["'])`,
      String.raw`,\s*:(?:skip|pending)\b`,
    ]),
  },
  { kind: 'fails', pattern: /^\s*pending\b(?!\s*[:=_])|\bpending:\s*(?:true|["'])/ },
];

const byFamily: Readonly<Partial<Record<Family, readonly SkipMark[]>>> = {
  script,
  python,
  jvm,
  ruby,
  go: [
    {
      kind: 'never',
      pattern:
        /\b(?:t|tb|b|s\.T\(\))\.(?:Skip|Skipf|SkipNow)\(|^\s*(?:P|X)(?:It|Describe|Context)\(|\bSkip\(\s*"/,
    },
    { kind: 'only', pattern: /^\s*F(?:It|Describe|Context|Specify|Entry)\(/ },
  ],
  rust: [
    {
      kind: 'sometimes',
      pattern: anyOf([
        String.raw`#\[cfg_attr\([^\]]*\bignore\b|#\[cfg\(all\(test,\s*(?:feature|not\(feature)`,
        String.raw`^\s*#\[cfg\((?!test\)|all\(test|debug_assertions\))`,
      ]),
    },
    { kind: 'never', pattern: /#\[ignore\b/ },
    { kind: 'fails', pattern: /#\[should_panic\b/ },
  ],
  csharp: [
    {
      kind: 'never',
      pattern: /\[(?:\w+,\s*)*(?:Ignore|Explicit)\b|\bSkip\s*=\s*"|\bAssert\.(?:Ignore|Inconclusive|Skip)\(/,
    },
    { kind: 'sometimes', pattern: /\[(?:Platform|SkippableFact|ConditionalFact)\b|\bSkip\.If\(/ },
  ],
  php: [
    { kind: 'never', pattern: /\b(?:markTestSkipped|markTestIncomplete)\(|->skip\(|->todo\(|@group\s+skip/ },
    { kind: 'sometimes', pattern: /#\[Requires\w+|->skipOn\w+\(/ },
    { kind: 'only', pattern: /->only\(\)/ },
  ],
  swift: [
    { kind: 'never', pattern: /\bXCTSkip\(|\bthrow\s+XCTSkip\b|@(?:Test|Suite)\(.*\.disabled\(/ },
    { kind: 'sometimes', pattern: /\bXCTSkip(?:If|Unless)\(|\.enabled\(if:/ },
    { kind: 'fails', pattern: /\bXCTExpectFailure\b|\bwithKnownIssue\b/ },
  ],
  elixir: [
    { kind: 'never', pattern: /@(?:module|describe)?tag\s+:?skip\b|@(?:module|describe)?tag\s+skip:/ },
  ],
  cpp: [{ kind: 'never', pattern: /\bGTEST_SKIP\(|\bDISABLED_\w+|\bskip:\s*(?:true|["'])|\[\.\]/ }],
  shell: [{ kind: 'never', pattern: /^\s*skip(?:\s|$)/ }],
};

/** An option of a test stands in its declaration, or on a line of its own. */
const options = /\b(?:skip|only|ignore):/;
const declares = anyOf([
  String.raw`^\s*(?:await\s+)?(?:[\w.]*\b(?:it|test|describe|suite|specify)\b|(?:skip|only|ignore):|\{\s*(?:skip|only|ignore):)`,
]);

/** How a line of code keeps tests from running; the first that fits says most. */
export function skipMarkIn(code: string, family: Family): SkipKind | undefined {
  const line = code.slice(0, 500);
  if (family === 'script' && options.test(line) && !declares.test(line)) return undefined;
  return byFamily[family]?.find(({ pattern }) => pattern.test(line))?.kind;
}
