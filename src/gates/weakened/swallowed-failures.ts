import { anyOf } from '../../text/pattern/any-of.ts';
import type { Assertion } from './assertion.ts';
import { between, isEmpty } from './assertion.ts';
import { isDeferred } from './deferred-checks.ts';
import { returnsEarly } from './early-returns.ts';
import type { WeakenedTest, Weakening } from './finding.ts';
import { endsWell, overridesTests } from './overridden-outcome.ts';
import { type FileReading, inTest, type Version } from './reading.ts';
import type { SourceLine } from './source-line.ts';

/** Added code that keeps a failure from being seen, and assertions that cannot fail. */
export function swallowedFailures(readings: readonly FileReading[]): readonly WeakenedTest[] {
  const before = new Before(readings);
  return readings.flatMap((reading) => {
    const { new: version } = reading;
    const found: WeakenedTest[] = [];
    const report = (index: number, what: Weakening, text: string) => {
      const line = version.lines[index];
      const shown = `${text}: \`${line?.text.trim().slice(0, 120)}\`${inTest(version, index)}`;
      found.push({ path: reading.path, line: line?.number ?? 0, side: 'new', what, evidence: shown });
    };
    for (const [index, line] of version.lines.entries()) {
      if (!line.changed || line.blank || !version.isTest(index)) continue;
      if (before.has(line) && !/^\s*(?:return|continue);?\s*$/.test(line.code)) continue;
      if (catchesFailures(version, index))
        report(index, 'swallowed-failure', 'a failure is caught and forgotten');
      else if (endsWell(line, reading)) report(index, 'forced-success', 'ends well in any case');
      else if (overridesTests(line, version))
        report(index, 'forced-success', 'keeps tests from running, or from failing');
      else if (returnsEarly(version, index))
        report(index, 'swallowed-failure', 'returns before it checks anything');
    }
    for (const [assertion, reason] of unseen(reading, before)) report(assertion.index, ...reason);
    return found;
  });
}

/** What the diff takes away, in whichever file: it may only have moved. */
class Before {
  private readonly lines: ReadonlySet<string>;
  private readonly stated: ReadonlySet<string>;

  constructor(readings: readonly FileReading[]) {
    const removed = readings.flatMap(({ old }) => old.lines.filter(({ changed }) => changed));
    this.lines = new Set(removed.map(({ key }) => key));
    this.stated = new Set(readings.flatMap(({ old }) => old.assertions.map(({ key }) => key)));
  }

  has(line: SourceLine): boolean {
    return this.lines.size > 0 && this.lines.has(line.key);
  }

  states({ key }: Assertion): boolean {
    return this.stated.has(key);
  }
}

const catching = anyOf([
  String.raw`\bcatch\b\s*(?:\(|\{|$)`,
  String.raw`\bexcept\b(?:\s*(?:\(?[\w., ]*\b(?:AssertionError|Exception|BaseException)\b[\w., ]*\)?)?(?:\s+as\s+\w+)?)\s*:`,
  String.raw`^\s*rescue\b`,
  String.raw`\.catch\(\s*\(\w*\)\s*=>\s*(?:\{\s*\}|undefined|null|void 0)\s*\)`,
  String.raw`\bsuppress\(\s*(?:AssertionError|Exception|BaseException)\b`,
  String.raw`\brecover\(\)`,
  String.raw`\bcatch_unwind\b`,
]);

function catchesFailures({ lines, assertions }: Version, index: number): boolean {
  const line = lines[index];
  if (line === undefined || !catching.test(line.code)) return false;
  if (/\.catch\(|\bsuppress\(/.test(line.code)) {
    return /\bexpect\b|\bassert/.test(line.code) || between(assertions, index - 5, index + 6).length > 0;
  }
  const handler = blockBelow(lines, index);
  if (handling.test(handler.replace(/^.*?catch\s*\([^)]*\)/, ''))) {
    return false;
  }
  return between(assertions, index - 29, index).some((each) => isInTry(lines, each, index));
}

const handling = anyOf([
  String.raw`\b(?:throw|raise|fail|flunk|reject|expect|assert\w*|panic|Error|Errorf|Fatal|Fatalf|done)\b\s*[!(.\s]`,
]);

function isInTry(lines: readonly SourceLine[], { index }: Assertion, end: number): boolean {
  const handler = lines[end];
  const own = lines[index];
  if (own === undefined || handler === undefined || own.hunk !== handler.hunk || own.indent <= handler.indent)
    return false;
  return lines
    .slice(index + 1, end)
    .every((line) => line.blank || line.indent > handler.indent || /^\s*[)\]}]/.test(line.code));
}

function blockBelow(lines: readonly SourceLine[], index: number): string {
  const head = lines[index];
  if (head === undefined) return '';
  const parts = [head.code];
  for (const line of lines.slice(index + 1, index + 12)) {
    if (line.hunk !== head.hunk || (!line.blank && line.indent <= head.indent)) break;
    parts.push(line.code);
  }
  return parts.join('\n');
}

type Unseen = readonly [Assertion, readonly [Weakening, string]];

/** Assertions that are new and empty, that nobody waits for any more, or that are now under a condition. */
function unseen(reading: FileReading, moved: Before): readonly Unseen[] {
  const { new: version, old } = reading;
  const before = new Map(old.assertions.map((each) => [each.key, each]));
  const results = new Map(old.assertions.map((each) => [resultOf(each), each]));
  const stated = version.assertions.filter((each) => each.changed && !isInput(each));
  return stated.flatMap((each): readonly Unseen[] => {
    const text = version.lines[each.index];
    const was = before.get(each.key);
    if (was === undefined) {
      const alike = results.get(resultOf(each));
      if (alike !== undefined && isDeferred(reading, each, alike)) return [[each, unawaited]];
      return isEmpty(each) && !moved.states(each) ? [[each, ['empty-assertion', 'cannot fail']]] : [];
    }
    const previous = old.lines[was.index];
    if (text === undefined || previous === undefined || !was.changed) return [];
    if (/\.(?:resolves|rejects)\b|\bexpect\.poll\b/.test(each.key) && waits(previous) && !waits(text)) {
      return [[each, unawaited]];
    }
    if (isDeferred(reading, each, was)) return [[each, unawaited]];
    return text.indent > previous.indent && isNewlyConditional(version, each)
      ? [[each, ['swallowed-failure', 'only checked under a condition']]]
      : [];
  });
}

const unawaited = ['swallowed-failure', 'nobody waits for this assertion'] as const;

/** What it states, however its subject is called now. */
function resultOf({ verb, expected }: Assertion): string {
  return `${verb}:${expected}`;
}

function waits({ code }: SourceLine): boolean {
  return /\b(?:await|return)\b/.test(code);
}

function isNewlyConditional({ lines }: Version, { index }: Assertion): boolean {
  const own = lines[index];
  for (let at = index - 1; own !== undefined && at >= Math.max(0, index - 30); at--) {
    const above = lines[at];
    if (above === undefined || above.hunk !== own.hunk) return false;
    if (above.blank || above.indent >= own.indent) continue;
    return above.changed && /^\s*(?:\}?\s*else\s+)?if\b/.test(above.code);
  }
  return false;
}

function isInput({ verb }: Assertion): boolean {
  return verb === 'row' || verb === 'value';
}
