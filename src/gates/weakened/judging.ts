import { type Assertion, isEmpty, strengths } from './assertion.ts';
import { changeOf, isError, isSameVerb, likeness } from './comparing.ts';
import type { WeakenedTest, Weakening } from './finding.ts';
import {
  conserves,
  holds,
  isBeside,
  isHelper,
  isPartOf,
  isSizeOf,
  loopsIn,
  repeats,
  statedValue,
  tells,
} from './implication.ts';
import { countsCalls, countsElements } from './implied-counts.ts';
import { hasOtherInput } from './other-input.ts';
import { kindOf, maxCompared, pairAlike } from './pairing.ts';
import { type FileReading, inTest } from './reading.ts';
import { normalized } from './source-line.ts';
import type { TestedCode } from './tested-code.ts';
import { toleranceChange } from './tolerance.ts';

/** What is compared with each other: the assertions of one test, or of one hunk outside of all tests. */
export interface Group {
  readonly reading: FileReading;
  readonly removed: Assertion[];
  readonly added: Assertion[];
  readonly kept: Assertion[];
  /** What functions of the tests' own assert that the new test calls. */
  readonly told: Assertion[];
  readonly unread: boolean;
}

const descriptions: Readonly<
  Record<'weaker' | 'looser' | 'empty' | 'other-result', readonly [Weakening, string]>
> = {
  weaker: ['weaker-assertion', 'says less than before'],
  looser: ['loosened-threshold', 'lets more pass than before'],
  empty: ['empty-assertion', 'cannot fail'],
  'other-result': ['changed-expectation', 'expects something else, although the tested code is the same'],
};

/** Pairs what is removed and added in one group, and says what was lost. */
export class Judge {
  private readonly group: Group;
  private readonly tested: TestedCode;
  private readonly found: WeakenedTest[] = [];
  /** What stands in place of what is gone, as far as one assertion is compared with others. */
  private readonly near: readonly Assertion[];
  private readonly stated: readonly Assertion[];
  /** Only the new version states that something is refused. */
  private readonly isRefused: boolean;
  private looped: ((old: Assertion) => boolean) | undefined;

  constructor(group: Group, tested: TestedCode) {
    this.group = group;
    this.tested = tested;
    const { added, kept, removed, told } = group;
    this.isRefused = !removed.some(isRefusal) && added.some(isRefusal);
    const most = maxCompared * 2;
    this.stated = [...told.slice(0, most), ...added.slice(0, most)].slice(0, most);
    const near = [...this.stated, ...kept.slice(0, most)].slice(0, most);
    this.near = near.filter((each) => kindOf(each) !== 'value');
  }

  findings(): readonly WeakenedTest[] {
    const told = this.group.told.filter(({ changed }) => changed);
    const { pairs, removed, added } = pairAlike(this.group.removed, [...this.group.added, ...told]);
    for (const { old, next, alike } of pairs) this.compare(old, next, alike);
    for (const assertion of this.pairInOrder({ removed, added: this.own(added) }))
      this.reportRemoved(assertion);
    return this.found;
  }

  private compare(old: Assertion, next: Assertion, alike: number): void {
    const change = changeOf(old, next);
    if (change === 'kept') return;
    if (change === 'other-result') {
      // Other input gives another result.
      if (alike < 1 || this.isExpected(old, next) || hasOtherInput(this.group.reading, old, next)) return;
    }
    if (
      change === 'looser' &&
      this.isExpected(old, next) &&
      this.tested.states(statedValue(old), statedValue(next))
    )
      return;
    const [what, says] = descriptions[change];
    this.report({
      what,
      side: 'new',
      assertion: next,
      text: `\`${next.shown}\` ${says} (was \`${old.shown}\`)`,
    });
  }

  /** The tested code changes as well. */
  private isExpected(old: Assertion, next: Assertion): boolean {
    if (this.tested.isSame) return false;
    const name = inTest(this.group.reading.new, next.index);
    const { path } = this.group.reading;
    return (
      this.tested.concerns(path, name, old.shown, next.shown) ||
      this.tested.states(statedValue(old), statedValue(next))
    );
  }

  /** Without what helpers assert, and without their calls, which say no more than that. */
  private own(added: readonly Assertion[]): readonly Assertion[] {
    const told = new Set(this.group.told);
    const calls = new Set(this.group.told.map(({ index }) => index));
    return added.filter((each) => !told.has(each) && !(isHelper(each) && calls.has(each.index)));
  }

  /** A test that was rewritten has others in their place, which should say as much. */
  private pairInOrder(left: {
    removed: readonly Assertion[];
    added: readonly Assertion[];
  }): readonly Assertion[] {
    const stated = left.added.filter((each) => kindOf(each) === 'assertion');
    const rest: Assertion[] = [];
    for (const old of [...left.removed].sort((a, b) => b.strength - a.strength)) {
      const next = kindOf(old) === 'assertion' ? takeFor(old, stated) : undefined;
      if (next === undefined) rest.push(old);
      else if (isEmpty(next) && !isEmpty(old)) this.compare(old, next, 0);
      else if (next.strength < old.strength && (next.strength < strengths.part || likeness(old, next) > 0)) {
        this.compare(old, next, 0);
      } else if (isSameVerb(old, next) && toleranceChange(old, next) === 'looser') this.compare(old, next, 0);
    }
    return rest;
  }

  private reportRemoved(old: Assertion): void {
    const { reading } = this.group;
    const kind = kindOf(old);
    if (kind === 'value' || isEmpty(old) || this.isImplied(old)) return;
    const { removes, removesCase } = this.tested;
    if ((kind === 'row' ? removesCase : removes)(reading.path, old.shown) || this.goesWithItsCall(old))
      return;
    if (this.isRefusedNow(old) || this.isThrownNow(old)) return;
    const what = kind === 'row' ? 'deleted-case' : 'removed-assertion';
    const noun = kind === 'row' ? 'the case' : 'the assertion';
    this.report({ what, side: 'old', assertion: old, text: `${noun} \`${old.shown}\` is gone` });
  }

  /** The tested code no longer does it: it fails now, and there is nothing else to state of the answer. */
  private isRefusedNow(old: Assertion): boolean {
    const { reading } = this.group;
    if (this.tested.isSame || !this.isRefused) return false;
    return this.tested.concerns(reading.path, inTest(reading.old, old.index), old.shown);
  }

  /** A callback was given the error that whoever waits for the call is now thrown. */
  private isThrownNow(old: Assertion): boolean {
    const { added, kept, reading } = this.group;
    const isNone =
      /^(?:null|undefined|false|falsy|)$/.test(old.expected) || old.negated || /ifError/.test(old.verb);
    if (reading.language.family !== 'script' || !/^(?:err|error|e)$/.test(old.subject) || !isNone)
      return false;
    return added.length + kept.length > 0 && this.awaits();
  }

  private awaits(): boolean {
    return this.group.reading.new.lines.some(({ changed, code }) => changed && /\bawait\b/.test(code));
  }

  /** The check of an error in Go, whose call is no longer made, while the test states other things. */
  private goesWithItsCall(old: Assertion): boolean {
    const { reading, added, kept } = this.group;
    if (old.subject !== 'err' || added.length + kept.length === 0) return false;
    const above = reading.old.lines[old.index - 1];
    const call = above?.changed === true ? /\berr\s*:?=\s*([\w.]+)\(/.exec(above.code)?.[1] : undefined;
    return call !== undefined && !reading.new.lines.some(({ code }) => code.includes(`${call}(`));
  }

  /** Something that is still there, or new, says the same or more. */
  private isImplied(old: Assertion): boolean {
    const { told } = this.group;
    if (kindOf(old) === 'assertion' && this.isLooped(old)) return true;
    if (this.stated.some((each) => isSizeOf(old, each))) return true;
    if (isError(old) && told.some((each) => isError(each) || each.meaning === old.meaning)) return true;
    return this.near.some((other) => {
      if (other.key === old.key) return true;
      if (kindOf(old) === 'row') return kindOf(other) === 'row' && holds(other, old);
      const isPrefix = other.subject.startsWith(old.subject) || old.subject.startsWith(other.subject);
      const isAbout = old.subject !== '' && isPrefix;
      if (other.changed && isHelper(other) && repeats(other, old)) return true;
      if (countsCalls(other, old) || countsElements(other, old)) return true;
      if (isAbout && saysLittle(old) && other.strength > Math.max(old.strength, strengths.existence))
        return true;
      const isExact = other.changed && other.strength >= strengths.exact;
      if (isExact && old.strength < strengths.exact && isPartOf(old, other)) return true;
      if (other.changed && other.strength >= old.strength && conserves(other, old)) return true;
      return other.changed && other.strength >= strengths.part && (tells(other, old) || isBeside(other, old));
    });
  }

  private isLooped(old: Assertion): boolean {
    const { added, reading, told } = this.group;
    if (told.length + added.length === 0) return false;
    this.looped ??= loopsIn([...told, ...added], addedText(reading));
    return this.looped(old);
  }

  private report(of: { what: Weakening; side: 'old' | 'new'; assertion: Assertion; text: string }): void {
    const { reading } = this.group;
    const version = reading[of.side];
    const line = version.lines[of.assertion.index]?.number ?? 0;
    const where = inTest(version, of.assertion.index);
    this.found.push({
      path: reading.path,
      line,
      side: of.side,
      what: of.what,
      evidence: `${of.text}${where}`,
    });
  }
}

/** That it is there, or of which type, follows from what else is stated of it. */
function saysLittle({ strength, verb }: Assertion): boolean {
  return (
    strength <= strengths.existence ||
    (strength === strengths.kind && /^(?:be)?an?|instance|type/i.test(verb))
  );
}

/** An answer of HTTP that something is wrong, or an error. */
function isRefusal({ expected, verb, negated }: Assertion): boolean {
  return !negated && (/^[45]\d\d$/.test(expected) || /throw|rais|reject/i.test(verb));
}

function addedText({ new: { lines } }: FileReading): string {
  const added = lines.filter(({ changed }) => changed);
  return normalized(added.map(({ text }) => text).join(' '));
}

/** Takes out the first that says as much; the very first if none does. */
function takeFor(old: Assertion, stated: Assertion[]): Assertion | undefined {
  const near = stated.slice(0, maxCompared * 2);
  const same = near.findIndex(
    ({ expected, strength }) => expected === old.expected && strength >= old.strength,
  );
  const strong = near.findIndex(({ strength }) => strength >= old.strength);
  const [next] = stated.splice(same >= 0 ? same : Math.max(0, strong), 1);
  return next;
}
