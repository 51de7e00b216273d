import { callsIn, closing, type Piece } from './calls.ts';
import type { Claim } from './conditions.ts';
import { claim } from './matcher-claims.ts';

/** What a failure must be: `assertFailure { parse("") }.hasMessage("empty")`, `thrown.expect(A.class)`. */
export function failureClaims(piece: Piece): readonly Claim[] | undefined {
  const { text, code } = piece;
  const announced = /^\.expect\(\s*([\w.]+(?:\.class|::class(?:\.java)?))\s*\)/.exec(code)?.[1];
  if (announced !== undefined) return [thrown('', announced)];
  const open = /^assertFailure\s*\{/.exec(code)?.[0].length;
  if (open === undefined) return undefined;
  const end = closing(code, open - 1);
  const subject = text.slice(open, end).trim();
  // The scope function in front of a block of statements states nothing.
  const blank = (part: string) => part.replace(/^\s*\.\w+\s*\{/, (found) => ' '.repeat(found.length));
  const { calls } = callsIn({ text: blank(text.slice(end + 1)), code: blank(code.slice(end + 1)) });
  const stated = calls.map(({ name, arguments: given }) => {
    const verb = name.replace(/^[\s.;{}]+/, '');
    if (/^(?:isInstanceOf|hasClass)$/.test(verb)) return thrown(subject, given[0] ?? '');
    return claim({ subject: `${subject}.message`, verb, arguments: given, negated: false });
  });
  return stated.length > 0 ? stated : [thrown(subject, '')];
}

function thrown(subject: string, error: string): Claim {
  const given = error.replace(/::class(?:\.java)?$/, '');
  return claim({ subject, verb: 'throws', arguments: given === '' ? [] : [given], negated: false });
}
