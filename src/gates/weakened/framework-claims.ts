import { strengthOf, strengths } from './assertion.ts';
import { callsIn, type Piece } from './calls.ts';
import type { Claim } from './conditions.ts';
import { claim } from './matcher-claims.ts';

/** `verify(exactly = 1) { mailer.send("a") }` */
export function verifiedBlock({ text, code }: Piece): Claim | undefined {
  const open = /^(?:co)?[vV]erify\w*\s*(?:\([^()]*\)\s*)?\{/.exec(code)?.[0].length;
  if (open === undefined) return undefined;
  const inner = { text: text.slice(open), code: code.slice(open) };
  const [call] = callsIn(inner).calls;
  const count = /\(([^()]*)\)/.exec(code.slice(0, open))?.[1];
  const given = [...(call?.arguments ?? []), ...(count === undefined ? [] : [count])];
  return claim({ subject: call?.name ?? '', verb: 'verify', arguments: given, negated: false });
}

/** `.andExpect(status().isOk())`, `.expect(200)`: what is expected of an answer. */
export function requestClaims(piece: Piece): readonly Claim[] {
  return callsIn(piece).calls.flatMap(({ name, arguments: given }) => {
    if (name === '.andExpectAll') return given.map((each) => requestClaim('andExpect', [each]));
    return [requestClaim(name.replace('.', ''), given)];
  });
}

/** `status().isOk()` states with its own call what is expected. */
function requestClaim(verb: string, given: readonly string[]): Claim {
  const [first = '', ...others] = given;
  const open = first.indexOf(').') + 1;
  if (others.length > 0 && open === 0)
    return claim({ subject: first, verb, arguments: others, negated: false });
  const stated = first.slice(open);
  const inner = /^\.(\w+)\(/.exec(stated)?.[1] ?? verb;
  const made = claim({ subject: first.slice(0, open), verb, arguments: [stated, ...others], negated: false });
  return { ...made, strength: Math.min(made.strength, strengthOf(inner, false)) };
}

/** `a shouldBe b` */
export function infixClaim({ text, code }: Piece): Claim | undefined {
  const found = /\sshould(\w*)\s/.exec(code);
  if (found === null) return undefined;
  const expected = text.slice(found.index + found[0].length).trim();
  const verb = found[1] ?? '';
  const subject = text.slice(0, found.index).trim();
  return claim({ subject, verb, arguments: [expected], negated: verb.includes('Not') });
}

/** `assertThrows<A> { … }`, `Assert.Throws<A>(…)`: the type stands between angle brackets. */
export function thrownClaim({ text, code }: Piece): Claim | undefined {
  const found = generic.exec(code);
  const [whole = '', error = ''] = found ?? [];
  if (found === null || /\bnot\b/i.test(text.slice(0, 40))) return undefined;
  return claim({ subject: text.slice(whole.length), verb: 'throws', arguments: [error], negated: false });
}

const generic = new RegExp(
  [
    String.raw`^(?:(?:va[lr]|let|auto)\s+)?(?:\w+\s*=\s*)?(?:await\s+)?`,
    String.raw`(?:\w+\.)?(?:\w*(?:[tT]hrow|Fails)\w*)<([\w.?]+)>\s*[({]`,
  ].join(''),
);

/** `status { isOk() }`, `command.assert().code(2)` */
export function answerClaims({ text, code }: Piece): readonly Claim[] | undefined {
  const found = /^\w+(?:\([^{]*\))?\s*\{|\.assert\(\)/.exec(code);
  if (found === null || /^(?:assert|expect|should|verify|fail)/i.test(code)) return undefined;
  const end = found.index + found[0].length;
  const inner = { text: text.slice(end), code: code.slice(end) };
  const subject = text.slice(0, found[0].startsWith('.') ? found.index : end - 1);
  return callsIn(inner).calls.map(({ name, arguments: given }) => {
    const made = claim({ subject, verb: name.replace(/^[\s.]+/, ''), arguments: given, negated: false });
    const isPart = /\b(?:contains|starts_with|ends_with|is_match)\(/.test(made.expected);
    return isPart ? { ...made, strength: Math.min(made.strength, strengths.part) } : made;
  });
}
