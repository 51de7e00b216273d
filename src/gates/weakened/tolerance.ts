import { anyOf } from '../../text/pattern/any-of.ts';
import { type Change, changedLines } from './change.ts';
import { inNew, type Judged } from './finding.ts';

/** Words after or before a number that say how exactly a result is compared, and which way is looser. */
const upward = anyOf(
  [
    '(?:eps|epsilon|tol|tolerance|delta|accuracy|margin|within|offset|atol|rtol|rel|abs|plusOrMinus|closeTo|approx|InDelta|precision_error|max_relative|ulps|diff)',
  ],
  'i',
);
const downward = /(?:digits|places|decimal|decimals|precision|toBeCloseTo|significant|ndigits)/i;

/** So much looser is no rounding. */
const factor = 3;

/** Whether two statements are the same but for a tolerance, which lets more pass in the second one. */
export function looserNumber(old: string, next: string): boolean {
  const isBound = /<|>|less|greater|at_?least|at_?most/i.test(next);
  const [before, after] = [numbersIn(old), numbersIn(next)];
  if (before.length !== after.length || before.length === 0) return false;
  return after.some(({ value, context }, index) => {
    const was = before[index]?.value ?? value;
    if (downward.test(context) && !upward.test(context.replace(/toBeCloseTo/, '')))
      return index > 0 && value < was && value < 12;
    if (upward.test(context) || (isBound && index === after.length - 1 && /<|less|at_?most/i.test(next)))
      return value >= was * factor && was > 0;
    return false;
  });
}

interface Found {
  readonly value: number;
  /** What stands in front of it. */
  readonly context: string;
}

function numbersIn(text: string): readonly Found[] {
  const found = text.matchAll(/(?<![\w.])\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?/gi);
  return [...found].slice(0, 20).map(({ 0: digits, index }) => ({
    value: Number(digits.replaceAll('_', '')),
    context: text.slice(0, index),
  }));
}

const named =
  /\b(\w*(?:eps|epsilon|tol|tolerance|delta|accuracy|atol|rtol)\w*)\b[^=()]*=\s*(\d[\d._]*(?:e[+-]?\d+)?)/i;
const all = /\b(?:all|every|forAll|toAll|All|Every)\b/;
const any = /\b(?:any|some|forAny|forSome|forAtLeastOne|Any|Some)\b/;

/** Tolerances that have a name, and statements about all of something that become ones about any. */
export function looserTolerances({ tests }: Change): readonly Judged[] {
  return tests.flatMap(({ path, old, new: next }) => {
    const before = new Map(
      changedLines(old).flatMap(({ text }) => {
        const [, name = '', value] = named.exec(text) ?? [];
        return value === undefined ? [] : [[name, Number(value)] as const];
      }),
    );
    const quantified = new Set(
      changedLines(old)
        .filter(({ code }) => all.test(code))
        .map(({ text }) => text.replace(all, '').trim()),
    );
    return changedLines(next).flatMap((line) => {
      const [, name = '', value] = named.exec(line.text) ?? [];
      const was = before.get(name);
      if (was !== undefined && Number(value) >= was * factor)
        return [inNew(path, line, ['loosened-threshold', `${name} was ${was} and is ${value}`])];
      const isAny = any.test(line.code) && quantified.has(line.text.replace(any, '').trim());
      return isAny ? [inNew(path, line, ['weaker-assertion', 'one of many is enough'])] : [];
    });
  });
}
