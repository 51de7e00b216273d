import { anyOf } from '../../text/pattern/any-of.ts';
import { strengthOf } from './assertion.ts';
import { type Claim, mostOf } from './conditions.ts';

export function claim(given: Omit<Claim, 'strength' | 'expected'>): Claim {
  const made = ofProperty(given);
  const { verb, negated } = made;
  const plain = verb.replace(/^(?:to)?[bB]e_?|^is(?=[A-Z])/, '').toLowerCase();
  const stated = /^(?:true|false|null|nil|none|undefined|empty|isnull|isnone|notnone)$/.test(plain);
  const expected = made.arguments.length === 0 && stated ? plain : made.arguments.join(', ');
  const strength = strengthOf(verb, negated);
  return {
    ...made,
    expected,
    strength: Math.min(strength, mostOf(made.subject)),
  };
}

/** `expect(a).toHaveProperty("b", 1)` is about `a.b`. */
function ofProperty<Made extends Omit<Claim, 'strength' | 'expected'>>(made: Made): Made {
  const [, name] = /^["'`]([\w.-]+)["'`]$/.exec(made.arguments[0] ?? '') ?? [];
  if (name === undefined || !/(?:property|attribute|attr)$/i.test(made.verb) || made.negated) return made;
  const subject = `${made.subject}.${name}`;
  const stated = made.arguments.slice(1);
  return { ...made, subject, arguments: stated, verb: stated.length === 0 ? 'exists' : 'equal' };
}

/** `#[should_panic(expected = "…")]`, `@Test(expected = A.class)`, `[ExpectedException(typeof(A))]`. */
export function expectedError(text: string): Claim | undefined {
  const found = errorMark.exec(text);
  if (found === null) return undefined;
  return claim({
    subject: '',
    verb: 'throws',
    arguments: found[1] === undefined ? [] : [found[1]],
    negated: false,
  });
}

const matchers = anyOf([
  '^(?:[Ii]s|is_|not|is_not|(?:not_?)?(?:[Nn]ull_?[Vv]alue|none)|equal_?[Tt]o|same_?[Ii]nstance)$',
  String.raw`^(?:instance|starts|ends|greater|less|close|has|contains|any|all|empty|matches)\w*$`,
]);

/** Hamcrest's `assertThat(a, is(5))`. */
export function matcherClaim(parameters: readonly string[]): Claim | undefined {
  const subject = parameters.at(-2);
  let [, name = '', inner = ''] = /^(\w+)\(([\s\S]*)\)$/.exec(parameters.at(-1) ?? '') ?? [];
  if (subject === undefined || !matchers.test(name)) return undefined;
  let negated = false;
  while (/^(?:is|is_|not|is_not)$/i.test(name)) {
    if (/not/.test(name)) negated = !negated;
    const next = /^(\w+)\(([\s\S]*)\)$/.exec(inner);
    if (next === null || !matchers.test(next[1] ?? '')) break;
    [, name = '', inner = ''] = next;
  }
  const verb = /^not_?(?:null|none)/i.test(name)
    ? 'isNotNull'
    : name
        .replace(/^(?:null_?value|none)$/i, 'isNull')
        .replace(/^(?:is|is_|not|is_not|equal_?to)$/i, 'equal');
  // Hamcrest's `contains` states the whole list.
  const stated = name === 'contains' ? 'containsExactly' : verb;
  return claim({ subject, verb: stated, arguments: inner === '' ? [] : [inner], negated });
}

const errorMark = anyOf([
  String.raw`^(?:#\[should_panic|\[ExpectedException|@Test\s*\()(?:.*?\b(?:expected\w*\s*=\s*\{?|typeof\()\s*("[^"]*"|[\w.:]+))?`,
]);
