/** A range goes from one UTF-16 unit to another, and includes both. */
type Range = readonly [from: number, to: number];

/** Which characters may stand at a place. */
export interface CharacterSet {
  readonly ranges: readonly Range[];
  readonly isNegated: boolean;
}

const whole = (text: string): readonly Range[] =>
  [...text].map((one) => [one.charCodeAt(0), one.charCodeAt(0)]);
const span = (from: string, to: string): Range => [from.charCodeAt(0), to.charCodeAt(0)];

const digits: readonly Range[] = [span('0', '9')];
const letters: readonly Range[] = [span('a', 'z'), span('A', 'Z'), span('0', '9'), span('_', '_')];
const blanks: readonly Range[] = [
  ...whole('\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff'),
  span('\u2000', '\u200a'),
];
const lineEnds: readonly Range[] = whole('\n\r\u2028\u2029');

function single(character: string): CharacterSet {
  return { ranges: whole(character), isNegated: false };
}

/** Everything that is not in these ranges. */
function complement(ranges: readonly Range[]): readonly Range[] {
  const sorted = [...ranges].sort(([one], [other]) => one - other);
  const found: Range[] = [];
  let next = 0;
  for (const [from, to] of sorted) {
    if (from > next) found.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  return next <= 0xffff ? [...found, [next, 0xffff]] : found;
}

/** Whether a unit is in the set; without regard to case, any of its spellings may be. */
export function isIn({ ranges, isNegated }: CharacterSet, unit: number, ignoresCase: boolean): boolean {
  const found = spellings(unit, ignoresCase).some((one) =>
    ranges.some(([from, to]) => one >= from && one <= to),
  );
  return found !== isNegated;
}

function spellings(unit: number, ignoresCase: boolean): readonly number[] {
  if (!ignoresCase) return [unit];
  const text = String.fromCharCode(unit);
  const others = [text.toLowerCase(), text.toUpperCase()].filter((one) => one.length === 1);
  return [unit, ...others.map((one) => one.charCodeAt(0))];
}

export function isLetter(unit: number): boolean {
  return letters.some(([from, to]) => unit >= from && unit <= to);
}

/** A regular expression that can be searched for in linear time. */
export type Node =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly is: Assertion }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly min: number; readonly max: number };

export type Assertion = 'start' | 'end' | 'border' | 'no-border';

/** The text is no pattern, or one that would not be fast; the message says what was expected. */
export class PatternProblem extends Error {
  override name = 'PatternProblem';
}

/** Throws `PatternProblem`. */
export function parsePattern(text: string): { readonly node: Node; readonly ignoresCase: boolean } {
  const [flag = ''] = /^\(\?i\)/.exec(text) ?? [];
  const reading: Reading = { text, at: flag.length, depth: 0 };
  const node = choice(reading);
  if (reading.at < text.length) throw new PatternProblem('no `)` without its `(`');
  return { node, ignoresCase: flag !== '' };
}

interface Reading {
  readonly text: string;
  at: number;
  depth: number;
}

const maxDepth = 30;
const maxRepeats = 200;

function choice(reading: Reading): Node {
  reading.depth += 1;
  if (reading.depth > maxDepth) throw new PatternProblem(`groups at most ${maxDepth} deep`);
  const parts = [sequence(reading)];
  while (takes(reading, '|')) parts.push(sequence(reading));
  reading.depth -= 1;
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'choice', parts };
}

function sequence(reading: Reading): Node {
  const parts: Node[] = [];
  while (reading.at < reading.text.length && !/[|)]/.test(reading.text.charAt(reading.at))) {
    parts.push(repeated(atom(reading), reading));
  }
  return { kind: 'sequence', parts };
}

const count = /\{(\d{1,6})(?:(,)(\d{1,6})?)?\}|[*+?]/y;

/** Reads its quantifiers; whether they are lazy makes no difference to whether something is found. */
function repeated(part: Node, reading: Reading): Node {
  count.lastIndex = reading.at;
  const found = count.exec(reading.text);
  if (found === null) return part;
  reading.at += found[0].length;
  takes(reading, '?');
  const [min, max] = bounds(found);
  if (min > max || min > maxRepeats || (max > maxRepeats && max !== Infinity))
    throw new PatternProblem(`at most ${maxRepeats} repetitions, the smaller number first`);
  if (/^[*+?]|^\{\d/.test(reading.text.slice(reading.at)))
    throw new PatternProblem('one quantifier at a place: put what is repeated twice in parentheses');
  return { kind: 'repeat', part, min, max };
}

function bounds([sign, least = '0', comma, most]: RegExpExecArray): readonly [number, number] {
  if (sign === '*') return [0, Infinity];
  if (sign === '+') return [1, Infinity];
  if (sign === '?') return [0, 1];
  const min = Number(least);
  if (comma === undefined) return [min, min];
  return [min, most === undefined ? Infinity : Number(most)];
}

function atom(reading: Reading): Node {
  const letter = reading.text.charAt(reading.at);
  reading.at += 1;
  switch (letter) {
    case '(':
      return group(reading);
    case '[':
      return { kind: 'set', set: characterClass(reading) };
    case '\\':
      return escapeSequence(reading);
    case '^':
      return { kind: 'assertion', is: 'start' };
    case '$':
      return { kind: 'assertion', is: 'end' };
    case '.':
      return { kind: 'set', set: { ranges: lineEnds, isNegated: true } };
    case '*':
    case '+':
    case '?':
      throw new PatternProblem(
        `something in front of \`${letter}\` to repeat, or \`\\${letter}\` for itself`,
      );
  }
  return { kind: 'set', set: single(letter) };
}

function group(reading: Reading): Node {
  const rest = reading.text.slice(reading.at, reading.at + 60);
  const [opening = ''] = /^\?(?::|<[A-Za-z]\w{0,30}>)/.exec(rest) ?? [];
  if (opening === '' && rest.startsWith('?')) {
    throw new PatternProblem(
      'no lookahead, lookbehind or flags but `(?i)` at the beginning: they take too long',
    );
  }
  reading.at += opening.length;
  const inside = choice(reading);
  if (!takes(reading, ')')) throw new PatternProblem('a `)` for every `(`');
  return inside;
}

const sets: Readonly<Record<string, readonly Range[]>> = {
  d: digits,
  D: complement(digits),
  w: letters,
  W: complement(letters),
  s: blanks,
  S: complement(blanks),
};

const controls: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v', 0: '\0' };

function escapeSequence(reading: Reading): Node {
  const letter = reading.text.charAt(reading.at);
  if (letter === 'b' || letter === 'B') {
    reading.at += 1;
    return { kind: 'assertion', is: letter === 'b' ? 'border' : 'no-border' };
  }
  return { kind: 'set', set: { ranges: escaped(reading), isNegated: false } };
}

/** What stands after a backslash, in a class and outside. */
function escaped(reading: Reading): readonly Range[] {
  const [whole = '', letter = '', code = ''] =
    /^(?:([dDwWsStnrfv0])|x([\da-fA-F]{2})|u([\da-fA-F]{4}))?/.exec(reading.text.slice(reading.at)) ?? [];
  const unit = code === '' ? whole.slice(1) : code;
  if (whole !== '') {
    reading.at += whole.length;
    if (letter === '') return single(String.fromCharCode(Number.parseInt(unit, 16))).ranges;
    return sets[letter] ?? single(controls[letter] ?? letter).ranges;
  }
  const itself = reading.text.charAt(reading.at);
  if (itself === '') throw new PatternProblem('something after a backslash, or two of them for itself');
  if (/[A-Za-z0-9]/.test(itself)) {
    throw new PatternProblem(
      `no \`\\${itself}\`: references and properties take too long; \\d, \\w, \\s, \\b and signs such as \\. can be escaped`,
    );
  }
  reading.at += 1;
  return single(itself).ranges;
}

function characterClass(reading: Reading): CharacterSet {
  const isNegated = takes(reading, '^');
  const ranges: Range[] = [];
  while (!takes(reading, ']')) {
    if (reading.at >= reading.text.length) throw new PatternProblem('a `]` for every `[`');
    const from = member(reading);
    const isRange =
      reading.text.charAt(reading.at) === '-' && !/^-(?:\]|$)/.test(reading.text.slice(reading.at));
    if (!isRange) {
      ranges.push(...from);
      continue;
    }
    reading.at += 1;
    ranges.push(rangeOf(from, member(reading)));
  }
  return { ranges, isNegated };
}

function member(reading: Reading): readonly Range[] {
  const letter = reading.text.charAt(reading.at);
  reading.at += 1;
  if (letter !== '\\') return single(letter).ranges;
  if (!takes(reading, 'b')) return escaped(reading);
  return single('\b').ranges;
}

function rangeOf([first, ...more]: readonly Range[], [last, ...others]: readonly Range[]): Range {
  const isOne = more.length + others.length === 0 && first?.[0] === first?.[1] && last?.[0] === last?.[1];
  if (!isOne || first === undefined || last === undefined || first[0] > last[0])
    throw new PatternProblem('ranges such as `a-z` from the smaller to the greater character');
  return [first[0], last[0]];
}

function takes(reading: Reading, sign: string): boolean {
  if (!reading.text.startsWith(sign, reading.at)) return false;
  reading.at += sign.length;
  return true;
}
