import type { Assertion } from './assertion.ts';

/** A number in an assertion that decides how much it lets pass. */
interface Tolerance {
  /** Whether a greater number lets more pass. */
  readonly growsLooser: boolean;
  readonly value: number;
}

/** How the new assertion compares with the old one as far as both have a bound or a tolerance. */
export function toleranceChange(old: Assertion, next: Assertion): 'looser' | 'tighter' | undefined {
  const before = toleranceOf(old);
  const after = toleranceOf(next);
  if (before === undefined || after === undefined || before.growsLooser !== after.growsLooser)
    return undefined;
  if (before.value === after.value) return old.verb === next.verb ? undefined : 'tighter';
  return after.value > before.value === after.growsLooser ? 'looser' : 'tighter';
}

/** An approximation so wide that it hardly states a value. */
export function isWide(assertion: Assertion): boolean {
  const found = toleranceOf(assertion);
  if (found === undefined || /^[<>]/.test(assertion.verb)) return false;
  return found.growsLooser ? found.value > 0.01 : found.value <= 1;
}

function toleranceOf({ verb, arguments: given, expected, subject }: Assertion): Tolerance | undefined {
  const name = verb.toLowerCase().replace(/[_.]/g, '');
  const named = [...`${expected},${subject}`.matchAll(namedTolerance)].map(([, , value]) => Number(value));
  if (named.length > 0) return { growsLooser: true, value: Math.max(...named) };
  const around = /plusOrMinus\(?([\d.]+(?:e-?\d+)?)/.exec(expected)?.[1];
  if (around !== undefined) return { growsLooser: true, value: Number(around) };
  const places = /\b(?:places|decimal|significant|precision)=(\d+)/.exec(expected)?.[1];
  if (places !== undefined) return digits(['', places]);
  if (/closeto$/.test(name) && given.length <= 2 && !/isclose/.test(name)) return digits(given);
  if (/almostequals?|approx/.test(name)) return digits(given);
  if (/delta|epsilon|within|isclose|offset|closeto|relativeeq|abs_?diff/.test(name))
    return last(given, expected);
  const isLower = /greater|above|atleast|morethan|minimum|^>|^min|^ge$|^gt$/.test(name);
  const isUpper = /less|below|atmost|fewerthan|maximum|^<|^max|^le$|^lt$|shorter|before/.test(name);
  if (isLower || isUpper) return amount(expected, isUpper);
  // assertEquals(1.0, x, 0.01): JUnit's and PHPUnit's third argument.
  if (/^equals?$/.test(name) && given.length >= 2 && /^[\d.]+(?:e-?\d+)?[fd]?$/i.test(given[1] ?? '')) {
    return last(given.slice(0, 2), expected);
  }
  return undefined;
}

const namedTolerance = new RegExp(
  [
    String.raw`\b(delta|rel|abs|rtol|atol|tolerance|epsilon|accuracy|maxDiffPixel\w*|threshold)(?:=|:)(-?[\d.]+(?:e-?\d+)?)`,
  ].join('|'),
  'gi',
);

/** The number of digits that must agree, as a difference; what libraries default to is better than a few. */
function digits(given: readonly string[]): Tolerance | undefined {
  const stated = given[1] ?? '2';
  return /^\d+$/.test(stated) ? { growsLooser: true, value: Number(`1e-${stated}`) } : undefined;
}

function last(given: readonly string[], expected: string): Tolerance | undefined {
  const text = given.at(-1) ?? expected;
  const found = /-?\d[\d_]*(?:\.\d+)?(?:e-?\d+)?/i.exec(text);
  return found === null ? undefined : { growsLooser: true, value: Number(found[0].replaceAll('_', '')) };
}

const units: readonly (readonly [RegExp, number])[] = [
  [/nanos/i, 1e-6],
  [/micros/i, 1e-3],
  [/milli|\bms\b|\dms\b/i, 1],
  [/minute|\dm\b/i, 60_000],
  [/second|\ds\b/i, 1_000],
  [/hour/i, 3_600_000],
];

/** A bound with its unit, so that `2 * time.Second` is more than `500 * time.Millisecond`. */
function amount(expected: string, growsLooser: boolean): Tolerance | undefined {
  const found = /-?\d[\d_]*(?:\.\d+)?(?:e-?\d+)?/i.exec(expected);
  if (found === null) return undefined;
  const factor = units.find(([pattern]) => pattern.test(expected))?.[1] ?? 1;
  const product = /\d\s*\*\s*(\d[\d_]*)\b/.exec(expected)?.[1]?.replaceAll('_', '') ?? '1';
  return { growsLooser, value: Number(found[0].replaceAll('_', '')) * factor * Number(product) };
}
