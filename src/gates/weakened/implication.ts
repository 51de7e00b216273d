import { type Assertion, strengths } from './assertion.ts';
import { splitAt } from './calls.ts';
import { blankStrings } from './conditions.ts';
import { wordsOf } from './words.ts';

const matcher =
  /^(?:not)?(?:equal|eq|true|false|same|deep|strict|ok$|nil|null|none|is|throw|contain|in$|len|no)/i;

/** A function of the tests' own, which may assert any number of things. */
export function isHelper({ verb, key }: Assertion): boolean {
  const isFluent = /^(?:await)?(?:expect|assertThat|Expect|verify)\W/.test(key);
  return !isFluent && /^[A-Za-z]\w*$/.test(verb) && !matcher.test(verb);
}

/** Is given what the other one is about, and what that expects. */
export function repeats(helper: Assertion, old: Assertion): boolean {
  const given = wordsOf(`${helper.subject} ${helper.expected}`);
  const [root = ''] = old.subject.split(/[.[(]/);
  return given.has(root);
}

/** One assertion about a whole object says what several did about its parts. */
export function tells(other: Assertion, old: Assertion): boolean {
  const [root] = old.subject.split(/[.[(]/);
  const names = wordsOf(`${other.subject} ${other.expected}`);
  const values = [...wordsOf(old.expected)];
  const property = /(\w+)\W*$/.exec(old.subject)?.[1] ?? '';
  // The error that a handler caught is the one that a call was expected to fail with.
  const isCaught = /^(?:e|err|error|exc|exception)$/.test(root ?? '') && /reject|throw|rais/i.test(other.key);
  const place = /"[^"]{3,}"/.exec(old.subject)?.[0];
  const isSamePlace = place !== undefined && other.subject.includes(place);
  const isAbout = root !== undefined && (names.has(root) || isCaught || isSamePlace);
  const isTold = root === other.subject || names.has(property) || /"[^"]{3,}"/.test(old.expected);
  return isAbout && isTold && values.every((value) => names.has(value));
}

/** What was stated of a property stands beside its name: `.code(64)`, `{ code: 64 }`, `code=64`. */
export function isBeside(other: Assertion, old: Assertion): boolean {
  const [, ...names] = old.subject.replace(/"[^"]*"/g, '').match(/[A-Za-z_]\w*/g) ?? [];
  const literals = literalsOf(old.expected);
  const values = literals.length > 0 ? literals : old.verb === 'holds' ? names.splice(-1) : [];
  const value = values.at(-1);
  if (value === undefined || value.length > 300) return false;
  for (let at = other.key.indexOf(value); at >= 0; at = other.key.indexOf(value, at + 1)) {
    const before = other.key.slice(Math.max(0, at - 60), at);
    const [, first = '', second = ''] = /([A-Za-z_]\w*)\W+(?:[A-Za-z_][\w:]*\W+)?$|$/.exec(before) ?? [];
    const last = /([A-Za-z_]\w*)\W+$/.exec(before)?.[1] ?? second;
    if (names.includes(first) || names.includes(last)) return true;
  }
  return false;
}

/** Each of several literals returns in one statement, or the same telling text is expected as it was. */
export function conserves(other: Assertion, old: Assertion): boolean {
  if (other.expected === old.expected && /"[^"]{6,}"/.test(old.expected)) return true;
  const literals = new Set(literalsOf(`${old.subject},${old.expected}`));
  const others = new Set(literalsOf(other.key));
  return literals.size > 1 && [...literals].every((literal) => others.has(literal));
}

/** About the same thing, or about something of it. */
export function isPartOf(old: Assertion, other: Assertion): boolean {
  const { subject } = other;
  return subject !== '' && old.subject.startsWith(subject) && !/^\w/.test(old.subject.slice(subject.length));
}

export function statedValue({ expected }: Assertion): string {
  return /\d[\d_.]*\d|\d|"[^"]{1,200}"/.exec(expected)?.[0] ?? expected;
}

/** A longer text than tests are written in; a search in it for each assertion would take too long. */
const maxText = 200_000;

/** Tells whether a loop or a table states with its rows what assertions stated one by one. */
export function loopsIn(added: readonly Assertion[], text: string): (old: Assertion) => boolean {
  const loops = added.filter(({ expected }) => expected !== '' && literalsOf(expected).length === 0);
  const about = new Set(loops.flatMap(({ subject, meaning = '' }) => [...wordsOf(`${subject} ${meaning}`)]));
  const rows = text.slice(0, maxText);
  const states = (subject: string, expected: string) => {
    if (!namesOf(subject).some((name) => about.has(name))) return false;
    const stated = literalsOf(`${subject},${expected}`);
    return stated.length > 0 && stated.every((literal) => rows.includes(literal));
  };
  return ({ subject, expected, meaning, value }) => {
    if (states(subject, expected)) return true;
    // `got` was computed from what a row now gives; an error that is expected stands in a row by its name.
    const known = namesOf(value ?? '').filter((name) => !/^(?:nil|null|None)$/.test(name));
    return (
      meaning !== undefined && known.every((name) => rows.includes(name)) && states(meaning, value ?? '')
    );
  };
}

function namesOf(text: string): readonly string[] {
  return [...wordsOf(text.replace(/"[^"]*"/g, ''))].filter((word) => /^[A-Za-z_]/.test(word));
}

/** One row has the cells of another, in whatever form. */
export function holds(row: Assertion, old: Assertion): boolean {
  if (row.subject === old.subject) return true;
  const cells = literalsOf(`${old.subject},${old.expected}`);
  const others = new Set(literalsOf(`${row.subject},${row.expected}`));
  return row.changed && cells.length > 0 && cells.every((cell) => others.has(cell));
}

function literalsOf(text: string): readonly string[] {
  return text.match(/"[^"]*"|(?<![\w.])-?\d[\d.]*/g) ?? [];
}

/** How many there are is told by a comparison with a literal of that many entries. */
export function isSizeOf(old: Assertion, other: Assertion): boolean {
  if (old.strength !== strengths.size || other.strength !== strengths.exact || !/^\d+$/.test(old.expected))
    return false;
  const open = other.expected.search(/[[{]\S/);
  const inner = /^[\w.[\]*]*[[{](.*)[\]}]$/s.exec(other.expected)?.[1];
  if (open < 0 || inner === undefined) return false;
  return splitAt({ text: inner, code: blankStrings(inner) }, ',').length === Number(old.expected);
}
