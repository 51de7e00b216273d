import { anyOf } from './any-of.ts';
import { strengthOf, strengths } from './assertion.ts';
import { callsIn, comparisonIn, type Piece, splitAt } from './calls.ts';
import type { Family } from './languages.ts';

/** What a statement asserts, without where it stands. */
export interface Claim {
  readonly subject: string;
  readonly verb: string;
  readonly expected: string;
  readonly arguments: readonly string[];
  readonly negated: boolean;
  readonly strength: number;
}

/** What one statement asserts; several matchers in a chain are several claims. */
export function claimsOf(piece: Piece, family: Family): readonly Claim[] {
  const { code, text } = piece;
  if (family === 'go' && /^if\b/.test(code)) return [goCondition(piece)];
  if (
    /^assert\s+(?!\()|^assert\s*\(.*\)\s*(?:==|,|and\b|or\b)|^assert\b(?!\s*[!(.\w])/.test(code) &&
    family !== 'ruby'
  ) {
    return conjunction({ text: text.slice(6).trim(), code: code.slice(6).trim() });
  }
  if (family === 'shell') return [{ ...boolean(piece), strength: strengths.exact }];
  const infix = family === 'jvm' ? infixClaim(piece) : undefined;
  if (infix !== undefined) return [infix];
  const block = blockSubject(piece);
  if (block !== undefined) return fluent(block.subject, block.chain);
  const { calls, rest } = callsIn(piece);
  const [first, ...chain] = calls;
  if (first === undefined) return [claim({ subject: text, verb: text, arguments: [], negated: false })];
  if (/\.should(?:_not)?\b/.test(first.name) || /\.Should$/.test(first.name)) {
    const at = code.search(/\.[sS]hould/);
    return fluent(text.slice(0, at), { text: text.slice(at), code: code.slice(at) });
  }
  const isFluent =
    /(?:^|[\s.])(?:expect\w*|expect\.\w+|[aA]ssert_?[tT]hat|Expect|Ω|_|verify\w*|is_expected)$/.test(
      first.name,
    );
  if (isFluent && (chain.length > 0 || /\w/.test(rest))) {
    const from = endOfFirst(code);
    return fluent(first.arguments.join(', '), { text: text.slice(from), code: code.slice(from) });
  }
  return called(first.name, first.arguments, family);
}

/** `a shouldBe b` */
function infixClaim({ text, code }: Piece): Claim | undefined {
  const found = /\sshould(\w*)\s/.exec(code);
  if (found === null) return undefined;
  const expected = text.slice(found.index + found[0].length).trim();
  const verb = found[1] ?? '';
  const subject = text.slice(0, found.index).trim();
  return claim({ subject, verb, arguments: [expected], negated: verb.includes('Not') });
}

function endOfFirst(code: string): number {
  const open = code.indexOf('(');
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if (code[at] === '(') depth++;
    if (code[at] === ')' && --depth === 0) return at + 1;
  }
  return code.length;
}

/** `expect { … }.to raise_error`, `expect do … end.to change`. */
function blockSubject({
  text,
  code,
}: Piece): { readonly subject: string; readonly chain: Piece } | undefined {
  const found = /^expect\s*(?:\{|do\b)/.exec(code);
  if (found === null) return undefined;
  const end = Math.max(code.indexOf('}.'), code.indexOf('} .'), code.search(/\bend\.(?:to|not_to)/) + 2);
  if (end < 3) return undefined;
  const chain = { text: text.slice(end + 1), code: code.slice(end + 1) };
  return { subject: text.slice(found[0].length, end - 1).trim(), chain };
}

const modifiers = anyOf(
  String.raw`^(?:as|describedAs|withFailMessage|extracting|usingRecursiveComparison|ignoringFields|because|overridingErrorMessage|and|with|which|withMessage|soft)$`,
);

/** `.not.toBe(5)`, `.to be_nil`, `.to.be.true`, `.isNotNull().hasSize(3)`. */
function fluent(subject: string, chain: Piece): readonly Claim[] {
  const { calls, rest } = callsIn(chain);
  const claims: Claim[] = [];
  let negated = false;
  for (const call of calls) {
    const { words, bare } = matcherWords(call.name);
    if (words.some((word) => negations.test(word))) negated = true;
    const verb = words.filter((word) => !fillers.test(word)).join('');
    if (verb === '' || modifiers.test(verb) || verb === 'should' || verb === 'Should') continue;
    const inner = bare === '' ? call.arguments : [bare];
    claims.push(claim({ subject, verb, arguments: inner, negated }));
    negated = false;
  }
  const { words, bare } = matcherWords(rest);
  const verb = words.filter((word) => !fillers.test(word)).join('');
  const not = negated || words.some((word) => negations.test(word));
  if (verb !== '') claims.push(claim({ subject, verb, arguments: bare === '' ? [] : [bare], negated: not }));
  return claims;
}

const negations = /^(?:not|to_not|not_to|toNot|notTo|NotTo|ToNot|should_not)$/;
const fillers = anyOf(
  String.raw`^(?:not|to_not|not_to|toNot|notTo|NotTo|ToNot|should_not|to|To|that|which|is|been|have|has|deep|should|Should|resolves|rejects|eventually|soft|Be)$`,
);

/** The words of a chain, and what follows them without brackets: `to eq 5`. */
function matcherWords(chain: string): { readonly words: readonly string[]; readonly bare: string } {
  const found = /^[\s.;?!]*((?:\w+[?!]?[\s.]*){0,8})([\s\S]*)$/.exec(chain.slice(0, 400));
  const words = (found?.[1] ?? '').split(/[\s.]+/).filter((word) => word !== '');
  const at = words.findIndex((word) =>
    /^(?:eq|eql|be|equal|include|match|contain_exactly|must_equal|raise_error)$/.test(word),
  );
  const tail = (found?.[2] ?? '').trim().replace(/;$/, '');
  if (at >= 0 && /\s/.test(chain.trim())) {
    const bare = `${words.slice(at + 1).join(' ')} ${tail}`.trim();
    return { words: words.slice(0, at + 1), bare };
  }
  return { words, bare: '' };
}

/** `assertEquals(a, b)`, `assert.equal(a, b)`, `require.NoError(t, err)`, `assert_eq!(a, b)`. */
function called(name: string, given: readonly string[], family: Family): readonly Claim[] {
  const words = name.replace(/!$/, '').split(/[\s.:>]+/);
  const verb = (words.at(-1) ?? '').replace(/^(?:debug_)?(?:assert|refute|XCTAssert|should)_?/, '');
  const parameters = /^(?:t|s\.T\(\)|suite\.T\(\)|tb|b)$/.test(given[0] ?? '') ? given.slice(1) : given;
  const refuted = /\brefute|False$|_false$|\bisFalse|\bnot$|\.false$/i.test(name);
  if (refuted || /^(?:True|true|ok|isTrue|IsTrue|That|XCTAssert|expect|require|assert|truthy|)$/.test(verb)) {
    const text = parameters[0] ?? '';
    if (!refuted) return conjunction({ text, code: blankStrings(text) });
    return [{ ...boolean({ text, code: blankStrings(text) }), expected: 'false', negated: true }];
  }
  const [first = '', second = '', ...more] = parameters;
  if (/raises|throws|warns|exception|throwserror/i.test(verb)) {
    const error = [first, ...parameters.filter((each) => /^match\s*=/.test(each))];
    return [claim({ subject: '', verb, arguments: error, negated: false })];
  }
  const isSwapped =
    looksExpected(first) === looksExpected(second) ? expectsFirst.has(family) : looksExpected(first);
  const [subject, expected] = isSwapped && second !== '' ? [second, first] : [first, second];
  return [claim({ subject, verb, arguments: expected === '' ? [] : [expected, ...more], negated: false })];
}

/** Where `assertEquals` by convention takes what is expected first. */
const expectsFirst: ReadonlySet<Family> = new Set(['jvm', 'csharp', 'php', 'go', 'ruby']);

/** Callers name or write out what they expect; what they test is computed. */
function looksExpected(text: string): boolean {
  return /^["'`\d[{-]|^&?(?:expected|want|exp)\w*$|^(?:true|false|null|nil|None|True|False)$|^&?[A-Z][\w.]*\{|^[A-Z][A-Z_\d.]*$|^\[\]\w+\{/.test(
    text,
  );
}

function conjunction(piece: Piece): readonly Claim[] {
  const whole = splitAt(piece, ',')[0] ?? '';
  const parts = splitAt(
    { text: whole, code: blankStrings(whole) },
    / and /.test(piece.code) ? ' and ' : '&&',
  );
  return parts.map((text) => boolean({ text, code: blankStrings(text) }));
}

/** An expression that must be true. */
function boolean(piece: Piece): Claim {
  const compared = comparisonIn(piece);
  if (compared !== undefined) return comparisonClaim(compared);
  const negated = /^(?:!|not\s)/.test(piece.text);
  const hasArguments = /\w\(\s*[^)\s]/.test(piece.code);
  const strength = hasArguments ? strengths.part : strengths.existence;
  const expected = negated ? 'false' : 'true';
  const subject = piece.text.replace(/^(?:!|not\s)\s*/, '');
  return { subject, verb: 'true', expected, arguments: [expected], negated, strength };
}

function comparisonClaim(compared: { left: string; operator: string; right: string }): Claim {
  const { left, operator, right } = compared;
  const swapped = looksExpected(left) && !looksExpected(right);
  const [subject, expected] = swapped ? [right, left] : [left, right];
  const verb = swapped ? (mirrored[operator] ?? operator) : operator;
  return {
    subject,
    verb,
    expected,
    arguments: [expected],
    negated: false,
    strength: strengthOfOperator(verb),
  };
}

const mirrored: Readonly<Record<string, string>> = { '<': '>', '>': '<', '<=': '>=', '>=': '<=' };
const opposite: Readonly<Record<string, string>> = {
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '>': '<=',
  '<=': '>',
  '>=': '<',
};

function strengthOfOperator(operator: string): number {
  if (/^(?:===?|is)$/.test(operator)) return strengths.exact;
  return /^(?:!==?|is not|not in)$/.test(operator) ? strengths.existence : strengths.part;
}

/** The condition under which a test fails is the opposite of what it asserts. */
function goCondition({ text, code }: Piece): Claim {
  const brace = code.indexOf('{');
  const head = text.slice(2, brace < 0 ? undefined : brace);
  const condition = splitAt({ text: head, code: blankStrings(head) }, ';').at(-1) ?? '';
  const piece = { text: condition, code: blankStrings(condition) };
  const compared = comparisonIn(piece);
  if (compared === undefined) {
    const claimed = boolean(piece);
    return { ...claimed, strength: /Equal|Is\(|As\(/.test(condition) ? strengths.exact : claimed.strength };
  }
  const operator = opposite[compared.operator] ?? compared.operator;
  const result = comparisonClaim({ ...compared, operator });
  return compared.right === 'nil' ? { ...result, strength: strengths.existence } : result;
}

function claim(made: Omit<Claim, 'strength' | 'expected'>): Claim {
  const { verb, negated } = made;
  const plain = verb.replace(/^(?:to)?[bB]e_?|^is(?=[A-Z])/, '').toLowerCase();
  const stated = /^(?:true|false|null|nil|none|undefined|empty|isnull|isnone|notnone)$/.test(plain);
  const expected = made.arguments.length === 0 && stated ? plain : made.arguments.join(', ');
  return { ...made, expected, strength: strengthOf(verb, negated) };
}

export function blankStrings(text: string): string {
  return text.replace(
    /"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'|`[^`]*`/g,
    (found) => found.charAt(0) + ' '.repeat(found.length - 2) + found.charAt(0),
  );
}
