import { anyOf } from '../../text/pattern/any-of.ts';
import { definedIn } from './changed-source.ts';
import { type FileReading, testAround } from './reading.ts';
import type { SourceLine } from './source-line.ts';

/**
 * Whether every statement that the tests lose is about something that the code no longer has: a function, a
 * class or a field whose name it defined, and does not know any more. Such tests cannot be kept.
 */
export function needWhatIsGone(readings: readonly FileReading[]): boolean {
  const gone = namesGone(readings.filter(({ role }) => role === 'source'));
  if (gone.size === 0) return false;
  const lost = readings.flatMap(lostStatements);
  return lost.length > 0 && lost.every((text) => namesIn(text).some((name) => gone.has(name)));
}

function namesGone(sources: readonly FileReading[]): ReadonlySet<string> {
  const defined = sources.flatMap(({ old }) => changedLines(old.lines).flatMap(({ code }) => namedBy(code)));
  const known = new Set(sources.flatMap((source) => source.new.lines.flatMap(({ text }) => namesIn(text))));
  return new Set(defined.filter((name) => !known.has(name)));
}

function namedBy(code: string): readonly string[] {
  const [, field] = fieldSet.exec(code.slice(0, 400)) ?? [];
  return field === undefined ? definedIn(code) : [...definedIn(code), field];
}

/** `_entries = {}` in a class, `this.entries = …` and `@entries = …` in a method. */
const fieldSet = anyOf([String.raw`^\s*(?:this\.|self\.|@)?([A-Za-z_]\w{2,})\s*=(?![=>~])`]);

/** Of each assertion that is gone, what is removed of the test around it, or of a file outside of tests. */
function lostStatements({ old }: FileReading): readonly string[] {
  return old.assertions
    .filter(({ changed }) => changed)
    .map(({ index }) => {
      const block = testAround(old, index);
      const lines = block === undefined ? old.lines : old.lines.slice(block.head, block.end);
      return changedLines(lines)
        .map(({ text }) => text)
        .join('\n');
    });
}

function changedLines(lines: readonly SourceLine[]): readonly SourceLine[] {
  return lines.filter(({ changed }) => changed);
}

function namesIn(text: string): readonly string[] {
  return text.match(/[A-Za-z_]\w{2,}/g) ?? [];
}
