import { blankStrings, boolean, type Claim, conjunction, looksExpected } from './conditions.ts';
import type { Family } from './languages.ts';
import { claim, matcherClaim } from './matcher-claims.ts';

/** `assertEquals(a, b)`, `assert.equal(a, b)`, `require.NoError(t, err)`, `assert_eq!(a, b)`. */
export function called(name: string, given: readonly string[], family: Family): readonly Claim[] {
  const words = name.replace(/!$/, '').split(/[\s.:>]+/);
  const verb = (words.at(-1) ?? '').replace(/^(?:debug_)?(?:assert|refute|XCTAssert|should)_?/, '');
  const parameters = /^(?:t|s\.T\(\)|suite\.T\(\)|tb|b)$/.test(given[0] ?? '') ? given.slice(1) : given;
  const matched = verb === 'That' || verb === 'that' ? matcherClaim(parameters) : undefined;
  if (matched !== undefined) return [matched];
  const refuted = /\brefute|False$|_false$|\bisFalse|\bnot$|\.false$/i.test(name);
  if (refuted || /^(?:True|true|ok|isTrue|IsTrue|That|XCTAssert|expect|require|assert|truthy|)$/.test(verb)) {
    const text = parameters[0] ?? '';
    if (!refuted) return conjunction({ text, code: blankStrings(text) });
    return [{ ...boolean({ text, code: blankStrings(text) }), expected: 'false', negated: true }];
  }
  const [first = '', second = '', ...more] = parameters;
  // `with self.assertNumQueries(3):` says what is expected of the block.
  if (parameters.length === 1 && /^\d+$/.test(first))
    return [claim({ subject: '', verb, arguments: [first], negated: false })];
  if (/raises|throws|warns|exception|throwserror/i.test(verb)) {
    const error = [first, ...parameters.filter((each) => /^match\s*=/.test(each))];
    return [claim({ subject: '', verb, arguments: error, negated: false })];
  }
  // Of which kind an error is: Go takes the error first, and reading it is no comparison.
  if (/^(?:NotErrorIs|Error(?:As|Is)f?)$/.test(verb))
    return [claim({ subject: first, verb, arguments: [second], negated: verb.startsWith('Not') })];
  const isSwapped =
    looksExpected(first) === looksExpected(second) ? expectsFirst.has(family) : looksExpected(first);
  const [subject, expected] = isSwapped && second !== '' ? [second, first] : [first, second];
  const stated = more.filter((each) => !/^["'`]/.test(each));
  return [claim({ subject, verb, arguments: expected === '' ? [] : [expected, ...stated], negated: false })];
}

/** Where `assertEquals` by convention takes what is expected first. */
const expectsFirst: ReadonlySet<Family> = new Set(['jvm', 'csharp', 'php', 'go', 'ruby']);
