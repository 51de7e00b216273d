import { anyOf } from '../../text/pattern/any-of.ts';
import { strengths } from './assertion.ts';
import { called } from './called-assertions.ts';
import { type Call, callsIn, type Piece } from './calls.ts';
import { blankStrings, boolean, type Claim, conjunction, goConditions, isTuple } from './conditions.ts';
import { failureClaims } from './failure-claims.ts';
import { answerClaims, infixClaim, requestClaims, thrownClaim, verifiedBlock } from './framework-claims.ts';
import type { Family } from './languages.ts';
import { claim, expectedError } from './matcher-claims.ts';
import { bracketed } from './ruby-forms.ts';

/** What one statement asserts; several matchers in a chain are several claims. */
export function claimsOf(written: Piece, family: Family): readonly Claim[] {
  const piece = family === 'ruby' ? bracketed(written) : written;
  const { code, text } = piece;
  const marked = expectedError(text);
  if (marked !== undefined) return [marked];
  if (family === 'python' && isTuple(piece)) return [boolean({ text: 'True', code: 'True' })];
  if (family === 'go' && /^if\b/.test(code)) return goConditions(piece);
  if (
    /^assert\s+(?!\()|^assert\s*\(.*\)\s*(?:==|,|(?:and|or|in|not|is)\b)|^assert\b(?!\s*[!(.\w])/.test(
      code,
    ) &&
    family !== 'ruby'
  ) {
    return conjunction({ text: text.slice(6).trim(), code: code.slice(6).trim() });
  }
  if (family === 'shell') return [{ ...boolean(statusTest(piece)), strength: strengths.exact }];
  const verified = family === 'jvm' ? verifiedBlock(piece) : undefined;
  if (verified !== undefined) return [verified];
  const infix = family === 'jvm' ? infixClaim(piece) : undefined;
  if (infix !== undefined) return [infix];
  const failed = family === 'jvm' ? failureClaims(piece) : undefined;
  if (failed !== undefined) return failed;
  if (/^\.(?:andExpect(?:All)?|expect)\(/.test(code)) return requestClaims(piece);
  const answer = family === 'jvm' || family === 'rust' ? answerClaims(piece) : undefined;
  if (answer !== undefined) return answer;
  const thrown = thrownClaim(piece);
  if (thrown !== undefined) return [thrown];
  const block = blockSubject(piece);
  if (block !== undefined) return fluent(block.subject, block.chain);
  const { calls, rest } = callsIn(piece);
  const [first, ...chain] = calls;
  if (first === undefined) return [claim({ subject: text, verb: text, arguments: [], negated: false })];
  if (/\.should(?:_not)?\b/.test(first.name) || /\.Should$/.test(first.name)) {
    const at = code.search(/\.[sS]hould/);
    return fluent(text.slice(0, at), { text: text.slice(at), code: code.slice(at) });
  }
  const chained = calls.findIndex(
    ({ name, arguments: [way] }) => /\.should$/.test(name) && /^["'`]/.test(way ?? ''),
  );
  if (chained >= 0) return retried(calls, chained);
  const isFluent =
    /(?:^|[\s.])(?:expect\w*|expect\.\w+|[aA]ssert_?[tT]hat\w*|Expect|Ω|_|verify\w*|is_expected)$/.test(
      first.name,
    );
  if (isFluent && (chain.length > 0 || /\w/.test(rest))) {
    const from = endOfFirst(code);
    const following = { text: text.slice(from), code: code.slice(from) };
    if (/\bverify$/.test(first.name)) return verifiedCall(first.arguments, following);
    return fluent(first.arguments.join(', '), following);
  }
  return called(first.name, first.arguments, family);
}

/** Cypress: `cy.get("li").should("have.length", 1).and("contain.text", "milk")`. */
function retried(calls: readonly Call[], from: number): readonly Claim[] {
  const shown = ({ name, arguments: given }: Call) => `${name}(${given.join(', ')})`;
  const front = calls.slice(0, from).map(shown).join('');
  const last = (calls[from]?.name ?? '').replace(/\.should$/, '');
  return calls.slice(from).flatMap(({ name, arguments: [way = '', ...stated] }) => {
    if (!/\.(?:should|and)$/.test(name)) return [];
    const words = way.replace(/["'`]/g, '').split('.');
    const verb = words.filter((word) => !fillers.test(word)).join('');
    return [claim({ subject: `${front}${last}`, verb, arguments: stated, negated: words.includes('not') })];
  });
}

/** `assert_success` is `[ "$status" -eq 0 ]`. */
function statusTest(piece: Piece): Piece {
  const operator = /^assert_(?:success|failure)\s*$/.test(piece.code) ? piece.code.slice(7, 8) : '';
  if (operator === '') return piece;
  const text = `[ "$status" ${operator === 's' ? '-eq' : '-ne'} 0 ]`;
  return { text, code: blankStrings(text) };
}

/** `verify(mailer, times(2)).send("a")`: how often is a part of what is stated. */
function verifiedCall([subject = '', often = 'times(1)']: readonly string[], chain: Piece): readonly Claim[] {
  const count = often.replace(/^Mockito\./, '');
  return fluent(subject, chain).map((each) => {
    if (count === 'times(1)') return each;
    const given = [...each.arguments, count];
    return claim({ ...each, arguments: given, negated: count === 'never()' });
  });
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

const modifiers = anyOf([
  '^(?:as|describedAs|withFailMessage|extracting|usingRecursiveComparison|ignoring\\w*|comparing\\w*|because|overridingErrorMessage|and|with|which|withMessage|soft)$',
]);

/** `.not.toBe(5)`, `.to be_nil`, `.to.be.true`, `.isNotNull().hasSize(3)`. */
function fluent(subject: string, chain: Piece): readonly Claim[] {
  const { calls, rest } = callsIn(chain);
  const claims: Claim[] = [];
  let negated = false;
  for (const call of calls) {
    const { words, bare } = matcherWords(call.name);
    if (words.some((word) => negations.test(word))) negated = true;
    const verb = words.filter((word) => !fillers.test(word)).join('');
    const isGiven = verb === 'with' && /received?$/.test(claims.at(-1)?.verb ?? '');
    if (verb === '' || (modifiers.test(verb) && !isGiven) || verb === 'should' || verb === 'Should') continue;
    const inner = bare === '' ? call.arguments : [bare];
    const isAmong = /^(?:\[|List\.of\()/.test(subject) && /contain|include/i.test(verb) && inner.length === 1;
    if (isAmong) claims.push(claim({ subject: inner[0] ?? '', verb, arguments: [subject], negated }));
    else claims.push(claim({ subject, verb, arguments: inner, negated }));
    negated = false;
  }
  const { words, bare } = matcherWords(rest);
  const verb = words.filter((word) => !fillers.test(word)).join('');
  const not = negated || words.some((word) => negations.test(word));
  if (verb !== '') claims.push(claim({ subject, verb, arguments: bare === '' ? [] : [bare], negated: not }));
  return claims;
}

const negations = /^(?:not|to_not|not_to|toNot|notTo|NotTo|ToNot|should_not)$/;
const fillers = anyOf([
  '^(?:not|to_not|not_to|toNot|notTo|NotTo|ToNot|should_not|to|To|that|which|is|been|have|has|deep|should|Should|resolves|rejects|eventually|soft|Be)$',
]);

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
