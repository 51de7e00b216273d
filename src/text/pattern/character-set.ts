/** UTF-16 units from and to. */
export type Range = readonly [from: number, to: number];

/** Which characters may stand at a place. */
export interface CharacterSet {
  readonly ranges: readonly Range[];
  readonly isNegated: boolean;
}

const whole = (text: string): readonly Range[] =>
  [...text].map((one) => [one.charCodeAt(0), one.charCodeAt(0)]);
const span = (from: string, to: string): Range => [from.charCodeAt(0), to.charCodeAt(0)];

export const digits: readonly Range[] = [span('0', '9')];
export const letters: readonly Range[] = [span('a', 'z'), span('A', 'Z'), span('0', '9'), span('_', '_')];
export const blanks: readonly Range[] = [
  ...whole('\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff'),
  span('\u2000', '\u200a'),
];
export const lineEnds: readonly Range[] = whole('\n\r\u2028\u2029');

export function single(character: string): CharacterSet {
  return { ranges: whole(character), isNegated: false };
}

/** Everything that is not in these ranges. */
export function complement(ranges: readonly Range[]): readonly Range[] {
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
