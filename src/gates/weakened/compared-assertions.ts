import { raw } from '../../text/regexp.ts';
import { once } from '../reading/work-limit.ts';
import { type Assertion, literalsIn } from './assertions.ts';
import {
  type Change,
  changedLines,
  inNew,
  inOld,
  isAboutGone,
  type Judged,
  shown,
  sureIfFew,
  suspected,
  type TestReading,
  type Weakening,
} from './change.ts';

interface Outcome {
  readonly reading: TestReading;
  readonly old: Assertion;
  readonly next: Assertion | undefined;
}

/** Weaker than this is another kind of statement, and no other way to write the same one. */
const step = 0.45;

/**
 * Assertions that are gone, say less, let more pass, or expect something else of the same code. Those of
 * tests that are said to be deleted are not said again.
 */
export function comparedAssertions(change: Change, deleted: readonly Judged[]): readonly Judged[] {
  const outcomes = outcomesOf(change);
  const used = new Set(outcomes.map(({ next }) => next));
  const left = change.tests.flatMap(({ asserted }) =>
    asserted.new.filter(({ statement }) => statement.changed).filter((each) => !used.has(each)),
  );
  const others = outcomes.flatMap((each) =>
    each.next === undefined ? [] : changed(change, each, each.next),
  );
  const said = new Set(deleted.map(({ path, test }) => `${path}:${test}`));
  const there = outcomes.filter(
    ({ reading, old }) => !said.has(`${reading.path}:${old.statement.line.test}`),
  );
  return [...sureIfFew(others), ...sureIfFew(lost(change, there, left))];
}

/** Finds for each assertion that a version lost the one that says the same or is about the same. */
function outcomesOf(change: Change): readonly Outcome[] {
  const pool = new Pool(change);
  return change.tests.flatMap((reading) => {
    const removed = reading.asserted.old.filter(({ statement }) => statement.changed);
    const others = removed.filter((old) => !pool.takeSame(old));
    return others.map((old) => ({ reading, old, next: pool.takeAlike(old) }));
  });
}

/** More assertions with one name in common would not be compared. */
const maxCompared = 30;

/** The assertions that the tests have gained, each of which stands for one that they lost. */
class Pool {
  private readonly byKey = new Map<string, Assertion[]>();
  private readonly byName = new Map<string, Set<Assertion>>();
  private readonly left = new Set<Assertion>();
  private readonly kept = new Set<string>();

  constructor({ tests }: Change) {
    for (const each of tests.flatMap(({ asserted }) => asserted.new))
      if (each.statement.changed) this.add(each);
      else this.kept.add(each.key);
  }

  private add(each: Assertion): void {
    this.left.add(each);
    this.byKey.set(each.key, [...(this.byKey.get(each.key) ?? []).slice(-maxCompared), each]);
    for (const name of each.names) this.byName.set(name, (this.byName.get(name) ?? new Set()).add(each));
  }

  /** The same statement is elsewhere now, or is there a second time. */
  takeSame({ key }: Assertion): boolean {
    const found = this.byKey.get(key)?.find((each) => this.left.has(each));
    if (found !== undefined) this.drop(found);
    return found !== undefined || this.kept.has(key);
  }

  takeAlike(old: Assertion): Assertion | undefined {
    let best: { readonly each: Assertion; readonly score: number } | undefined;
    for (const name of old.names) {
      let compared = 0;
      for (const each of this.byName.get(name) ?? []) {
        if (++compared > maxCompared) break;
        const isNear = each.statement.line.test === old.statement.line.test;
        const score = likeness(old, each) + (isNear ? 0.5 : 0.2);
        if (best === undefined || score > best.score) best = { each, score };
      }
    }
    if (best === undefined || best.score < 0.75) return undefined;
    this.drop(best.each);
    return best.each;
  }

  private drop(each: Assertion): void {
    this.left.delete(each);
    for (const name of each.names) this.byName.get(name)?.delete(each);
  }
}

/** Gives how much of what two assertions name is the same, from 0 to 1. */
function likeness(old: Assertion, next: Assertion): number {
  const shared = [...old.names].filter((name) => next.names.has(name)).length;
  const all = old.names.size + next.names.size - shared;
  if (all === 0) return 1;
  const [first] = old.names;
  const isOfTheSame = first !== undefined && first === [...next.names][0];
  return Math.max(
    shared / Math.max(1, all),
    isOfTheSame ? 0.3 + shared / (2 * Math.max(old.names.size, 1)) : 0,
  );
}

function changed(change: Change, { reading, old }: Outcome, next: Assertion): readonly Judged[] {
  const was = `(was ${shown(old.statement.text)})`;
  const report = (what: Weakening, says: string) => [
    inNew(reading.path, next.statement.line, [what, `${says} ${was}`]),
  ];
  if (next.strength === 0 && old.strength > 0) return report('empty-assertion', 'it cannot fail');
  if (isWeaker(old, next)) return report('weaker-assertion', 'it says less than before');
  if (looserNumber(old.statement.text, next.statement.text))
    return report('loosened-threshold', 'it lets more pass than before');
  const isTighter = looserNumber(next.statement.text, old.statement.text);
  if (!change.isSame || isTighter || !isOtherResult(old, next)) return [];
  const found = report('changed-expectation', otherResult);
  return givenElse(reading).has(next.statement.line.test) ? found.map(suspected) : found;
}

export const otherResult = 'another result is expected, although the tested code is the same';

/** What another library says is not measured finely. */
function isWeaker(old: Assertion, next: Assertion): boolean {
  return old.strength - next.strength > (old.head === next.head ? step : 1.5);
}

/** The same is said about the same, but for one string or number, or for the order of them. */
function isOtherResult(old: Assertion, next: Assertion): boolean {
  const isSame = old.literals.size === next.literals.size || bare(old) === bare(next);
  if (!isSame || likeness(old, next) < 0.9 || old.verb !== next.verb) return false;
  const [before, after] = [[...old.literals], [...next.literals]];
  const [gone, ...more] = before.filter((each) => !next.literals.has(each));
  // None is gone, but they come in another order.
  const other = gone ?? before.find((each, index) => each !== after[index]);
  return other !== undefined && more.length === 0 && !/[$#]\w*[({]|\$\w/.test(other) && !isGiven(old, other);
}

function bare({ statement: { text } }: Assertion): string {
  return text.replace(/"[^"]*"|'[^']*'|`[^`]*`|[\d.]+/g, '').trim();
}

/** Whether a text or number stands in a call of the tested code, and not where the result is stated. */
function isGiven({ statement: { text } }: Assertion, literal: string): boolean {
  const before = text.slice(0, Math.max(0, text.indexOf(literal)));
  return before.split('(').length - before.split(')').length > 1;
}

/** The tests that have other strings and numbers than before where they do not assert. */
const givenElse = once(({ asserted, ...reading }: TestReading): ReadonlySet<string> => {
  const given = (side: 'old' | 'new') => {
    const asserting = new Set(asserted[side].map(({ statement }) => statement.line));
    const found = new Map<string, string[]>();
    for (const line of changedLines(reading[side]))
      if (!line.declares && !asserting.has(line))
        for (const each of literalsIn(line.text)) add(found, line.test, each);
    return found;
  };
  const [before, after] = [given('old'), given('new')];
  const tests = [...new Set([...before.keys(), ...after.keys()])];
  return new Set(tests.filter((test) => before.get(test)?.join() !== after.get(test)?.join()));
});

/** Finds what nothing stands in place of, as far as it does not go with what it was about. */
function lost(change: Change, outcomes: readonly Outcome[], left: readonly Assertion[]): readonly Judged[] {
  const missing = outcomes.filter(({ next }) => next === undefined);
  const gone = missing.filter(
    ({ reading, old }) => !survives(change, old) && !isAboutGone(change, reading, tokensOf(old)),
  );
  const count = (side: 'old' | 'new') =>
    change.tests.flatMap(({ asserted }) => asserted[side].filter(({ statement }) => statement.changed))
      .length;
  const isFewer = count('new') < count('old');
  const stays = new Set(change.tests.flatMap((each) => each.new.lines.map(({ test }) => test)));
  const spare = new Map<string, Assertion[]>();
  for (const each of left) add(spare, each.statement.line.test, each);
  return gone.flatMap(({ reading, old }): readonly Judged[] => {
    const inPlace = spare.get(old.statement.line.test)?.shift();
    if (inPlace !== undefined) return changed(change, { reading, old, next: inPlace }, inPlace);
    const found = inOld(reading.path, old.statement.line, ['removed-assertion', 'the assertion is gone']);
    const isSure =
      (isFewer || stays.has(old.statement.line.test)) && old.strength > 1.1 && !isTabled(reading);
    return [isSure ? found : suspected(found)];
  });
}

const tabled = raw`\bfor\b.*\b(?:of|in|range)\b|\.each\b|forEach|parametrize|rstest|\bcases\b|CsvSource|MethodSource|shared_examples|it_behaves_like|include_examples|include_context|arguments:`;

/** Tests that a loop or a table makes are not to be found one by one. */
export const isTabled = once((reading: TestReading) =>
  reading.new.lines.some(({ changed, code }) => changed && tabled.test(code)),
);

export function add<T>(lists: Map<string, T[]>, key: string, each: T): void {
  const list = lists.get(key) ?? [];
  list.push(each);
  lists.set(key, list);
}

function tokensOf({ names, literals, statement }: Assertion): readonly string[] {
  return [...names, ...literals, statement.line.test];
}

/** Everything that it names and compares with is in what the tests have gained: a table, or a helper. */
function survives({ gained }: Change, { written, literals }: Assertion): boolean {
  const all = [...literals].filter((each) => each.length > 1);
  if (all.length > 0) return all.every((each) => gained.has(each));
  return written.size > 1 && [...written].every((each) => gained.has(each));
}

/** Words after or before a number that say how exactly a result is compared, and which way is looser. */
const upward = raw`(?i)(?:eps|epsilon|tol|tolerance|delta|accuracy|margin|within|offset|close|atol|rtol|rel|abs|plusOrMinus|approx|InDelta|precision_error|max_relative|ulps|diff)`;
const downward = /(?:digits|places|decimals?\b(?!\()|precision|toBeCloseTo|significant|ndigits)/i;

/** So much looser is no rounding. */
const factor = 3;

/** Whether two statements are the same but for a tolerance, which lets more pass in the second one. */
function looserNumber(old: string, next: string): boolean {
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

/** Finds the numbers in a text, each with all that stands in front of it. */
function numbersIn(text: string) {
  const found = text.matchAll(/(?<![\w.])(?:(?<=[(,]\s*)-)?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?/gi);
  return [...found].slice(0, 20).map(({ 0: digits, index }) => ({
    value: Number(digits.replaceAll('_', '')),
    context: text.slice(0, index),
  }));
}
