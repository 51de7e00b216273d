import { anyOf } from '../../text/pattern/any-of.ts';
import { type Assertion, isEmpty, isLiteral, strengths, wildcard } from './assertion.ts';
import { isWide, toleranceChange } from './tolerance.ts';
import { isContradicted, sameTruth } from './truths.ts';
import { type WordsOf, wordsOf } from './words.ts';

/** What became of an assertion that another one replaces. */
export type Change = 'kept' | 'weaker' | 'looser' | 'empty' | 'other-result';

/** Compares two assertions about the same thing. */
export function changeOf(old: Assertion, next: Assertion): Change {
  if (isEmpty(next) && !isEmpty(old)) return 'empty';
  if (old.key === next.key) return 'kept';
  if (isNowSubject(old, next) || isFromTable(next)) return 'kept';
  if (overlooksMore(old, next)) return 'weaker';
  const tolerance = toleranceChange(old, next);
  if (tolerance === 'looser') return 'looser';
  if (tolerance === 'tighter') return 'kept';
  if (sameTruth(old, next)) return 'kept';
  if (isCounted(old, next) || (isAbsence(old) && isAbsence(next))) return 'kept';
  if (isApproximated(old, next)) return isWide(next) ? 'looser' : 'kept';
  if (isWidened(old, next)) return 'weaker';
  if (next.strength < old.strength) return 'weaker';
  if (next.strength > old.strength) return isContradicted(old, next) ? 'other-result' : 'kept';
  return atSameStrength(old, next);
}

/** A comparison of the same things that now leaves some of their parts out. */
function overlooksMore(old: Assertion, next: Assertion): boolean {
  const isSame = old.expected === next.expected || hasOptions(old, next);
  const written = ({ key, meaning = '', value = '' }: Assertion) => `${key} ${meaning} ${value}`;
  return isSame && leftOut(written(next)) > leftOut(written(old));
}

/** How many parts of what it compares a statement leaves out. */
export function leftOut(text: string): number {
  return text.match(leavingOut)?.length ?? 0;
}

/** The same expectation with options behind it. */
function hasOptions(old: Assertion, next: Assertion): boolean {
  return next.expected.startsWith(`${old.expected},`) && next.verb === old.verb && old.expected !== '';
}

const leavingOut = anyOf(
  [
    String.raw`\.(?:ignoring\w*|[eE]xcluding\w*|comparingOnly\w*|using\w*Ignor\w*|Ignore[A-Z]\w*)\(`,
    String.raw`\b(?:exclude\w*|ignore_order)=`,
  ],
  'g',
);

function atSameStrength(old: Assertion, next: Assertion): Change {
  if (lettersOf(old.expected) === lettersOf(next.expected) && old.negated === next.negated) return 'kept';
  if (old.value !== undefined && (old.value === next.expected || old.value === next.value)) return 'kept';
  if (next.value === old.expected || isNamed(old.expected, next.expected)) return 'kept';
  if (hasOptions(old, next) && old.verb === '==') return 'kept';
  if (isUnordered(old.expected) && sorted(old.expected) === sorted(next.expected)) return 'kept';
  if (old.strength <= strengths.existence) {
    const isTruth = /^(?:true|false)$/.test(old.expected) && /^(?:true|false)$/.test(next.expected);
    const flipped = isTruth
      ? old.expected !== next.expected
      : old.negated !== next.negated && isSameVerb(old, next);
    return flipped ? 'other-result' : 'kept';
  }
  if (old.expected === next.expected && old.negated === next.negated) return 'kept';
  if (isCaptured(next) || (old.negated && /NoInteractions$/.test(next.verb)) || isNamedAnew(old, next))
    return 'kept';
  if (unordered.test(old.verb) && sameMembers(old, next)) return 'kept';
  if (isSameVerb(old, next) && old.arguments.length > 0 && next.arguments.length === 0) return 'weaker';
  if (old.negated !== next.negated && isSameVerb(old, next)) return 'other-result';
  if (old.strength === strengths.part || old.strength === strengths.kind) return partChange(old, next);
  if (isEquation(old) && isEquation(next) && old.subject !== next.subject && swapped(old, next))
    return 'kept';
  return 'other-result';
}

/** A constant in place of the number that it stands for: `http.StatusOK` and `200`. */
function isNamed(old: string, next: string): boolean {
  const constant = /^(?:\w+\.)+[A-Z]\w*$|^[A-Z][A-Z\d_]{2,}$/;
  const number = /^-?\d[\d_.]*$/;
  return (constant.test(old) && number.test(next)) || (number.test(old) && constant.test(next));
}

/** A set or an object: the order in which it is written says nothing. */
function isUnordered(expected: string): boolean {
  return /^(?:JSON\.parse\(")?\{[^[]*\}(?:"\))?$/.test(expected);
}

function sorted(expected: string): string {
  return (expected.match(/"[^"]*"(?::[^,{}]*)?|[\w.]+(?::[^,{}]*)?/g) ?? []).sort().join();
}

/** What is left of a text that is written over several lines, or as several strings. */
function lettersOf(text: string): string {
  const plain = text
    .replace(/\\[nt]/g, '')
    // Rust's inline snapshots.
    .replace(/@(?=r?#*")/, '')
    .replace(/[\s"+]/g, '');
  return text.includes('"') ? plain.replace(/[`()]/g, '') : plain;
}

/** A row of a table states the result; its own changes are compared by themselves. */
function isFromTable({ expected }: Assertion): boolean {
  return /^(?:tc|tt|test|testCase|row|example)\.\w*(?:want|expected|out|result)\w*$/i.test(expected);
}

/** What was expected is now how the thing is found: `getByRole('button', { name: 'Save' })`. */
function isNowSubject({ expected, subject }: Assertion, next: Assertion): boolean {
  return /^"[^"]{2,}"$/.test(expected) && next.subject.includes(expected) && !subject.includes(expected);
}

/** What was given is looked at afterwards. */
function isCaptured({ verb, expected }: Assertion): boolean {
  return /\bcapture\(|\bcapture\w*\(\w+\)/.test(`${verb}(${expected}`);
}

/** What is expected has another name, of the same words: `members(:ada)` and `@ada`. */
function isNamedAnew(old: Assertion, next: Assertion): boolean {
  if (/["\d]|\b(?:true|false|nil|null|None)\b/i.test(`${old.expected}${next.expected}`)) return false;
  const before = wordsOf(old.expected);
  const after = [...wordsOf(next.expected)];
  return after.length > 0 && after.every((word) => before.has(word));
}

const unordered = /any_?order|only|match_?array|contain_exactly|items?_?equal|same_?elements|elementsmatch/i;

function sameMembers({ arguments: some }: Assertion, { arguments: others }: Assertion): boolean {
  const inOrder = (given: readonly string[]) =>
    given
      .join()
      .split(/\s*,\s*/)
      .sort()
      .join();
  return inOrder(some) === inOrder(others);
}

export function isSameVerb(old: Assertion, next: Assertion): boolean {
  const plain = ({ verb }: Assertion) => verb.toLowerCase().replace(/_|not/g, '');
  return plain(old) === plain(next);
}

/** A number of things that is stated of the things themselves now. */
function isCounted(old: Assertion, next: Assertion): boolean {
  return /count|length|size/i.test(next.verb) && /^\d+$/.test(old.expected) && old.expected === next.expected;
}

/** That something is not there, as each library says it. */
function isAbsence({ verb, expected, negated }: Assertion): boolean {
  if (negated) return /exist|document|attached|visible|present|displayed/i.test(verb);
  if (/count|length|size/i.test(verb)) return expected === '0';
  return /hidden|detached|absent|^(?:to)?(?:be)?(?:null|nil|empty|undefined)$/i.test(verb);
}

/** What accepts anything takes the place of a value, and not only of what was not stated before. */
function isWidened(old: Assertion, next: Assertion): boolean {
  if (!wildcard.test(next.expected) || wildcard.test(old.expected)) return false;
  if (old.strength >= strengths.exact && /^\w+\.\w+(?:Containing|Matching)\(/.test(next.expected))
    return true;
  const stated = wordsOf(next.expected);
  return [...wordsOf(old.expected)].some((word) => !stated.has(word));
}

/** An exact number that is now compared as floating-point numbers must be. */
function isApproximated(old: Assertion, next: Assertion): boolean {
  if (
    old.strength < strengths.exact ||
    !/close|almost|approx|delta|within|approx\(/i.test(`${next.verb}${next.expected}`)
  )
    return false;
  const number = /-?\d+(?:\.\d+)?/.exec(old.expected)?.[0];
  return number !== undefined && next.expected.includes(number) && !/approx\(/.test(old.expected);
}

/** A shorter text, fewer keys or a more general error let more pass; another one is another result. */
function partChange(old: Assertion, next: Assertion): Change {
  if (next.arguments.length < old.arguments.length && isSameVerb(old, next)) return 'weaker';
  if (isGeneralError(next.expected) && !isGeneralError(old.expected)) return 'weaker';
  if (!isSameVerb(old, next)) return 'kept';
  const [before, after] = [unquoted(old.expected), unquoted(next.expected)];
  if (before.includes(after) && after !== '') return 'weaker';
  return after.includes(before) ? 'kept' : 'other-result';
}

function isGeneralError(text: string): boolean {
  return generalErrors.test(text);
}

const generalErrors = anyOf([
  String.raw`^(?:(?:Base)?Exception|Error|Throwable|StandardError|RuntimeException|RuntimeError)(?:\.class|::class|\.self)?\b`,
]);

function unquoted(text: string): string {
  return text.replace(/^[/"]|["/]\w*$/g, '').replace(/^\{|\}$/g, '');
}

function isEquation({ strength }: Assertion): boolean {
  return strength >= strengths.exact;
}

/** `assertEquals(a, b)` as `assertEquals(b, a)`. */
function swapped(old: Assertion, next: Assertion): boolean {
  return old.subject === next.expected && old.expected === next.subject;
}

/** How much two subjects are alike, from 0 to 1, by their words or by what they stand for. */
export function likeness(old: Assertion, next: Assertion, words: WordsOf = wordsOf): number {
  if (old.subject === next.subject) return 1;
  if (swapped(old, next)) return 1;
  if (isRenamed(old, next)) return 0.9;
  const byWords = alike(words(old.subject), words(next.subject));
  // The error of a call is not its result.
  if (isError(old) !== isError(next)) return byWords;
  const [before, after] = [meaningOf(old), meaningOf(next)];
  // What names stand for is long: the same words alone do not make it the same.
  return Math.max(byWords, before === after ? 1 : Math.min(alike(words(before), words(after)), 0.9));
}

export function meaningOf({ meaning, subject }: Assertion): string {
  return meaning ?? subject;
}

/** What says only whether a call failed. */
export function isError({ subject }: Assertion): boolean {
  return /^(?:err|error|e|exc|ok)$/i.test(subject);
}

function alike(before: ReadonlySet<string>, after: ReadonlySet<string>): number {
  if (before.size === 0 || after.size === 0) return 0;
  let common = 0;
  for (const word of before) if (after.has(word)) common++;
  return common / (before.size + after.size - common);
}

/** The same is stated of the same part of something that has another name now: `e.code`, `error.code`. */
function isRenamed(old: Assertion, next: Assertion): boolean {
  const parts = ({ subject }: Assertion) => subject.replace(/^[A-Za-z_$][\w$]*/, '');
  return old.expected === next.expected && isSameVerb(old, next) && parts(old) === parts(next);
}

export { isLiteral };
