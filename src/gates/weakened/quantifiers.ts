import { anyOf } from '../../text/pattern/any-of.ts';
import type { WeakenedTest } from './finding.ts';
import { type FileReading, inTest } from './reading.ts';
import type { SourceLine } from './source-line.ts';
import { wordsOf } from './words.ts';

/** What every element must satisfy. */
const all = anyOf(
  [
    String.raw`\b(?:for(?:All|Each)|all(?:Match|Satisfy)|everyItem|every|allSatisfy|AllSatisfy)\b`,
    String.raw`\.(?:all\?|all|All)(?=\s*[({])|\ball\(`,
  ],
  'g',
);

/** What one element or some must satisfy. */
const some = anyOf(
  [
    String.raw`\b(?:for(?:AtLeast\w*|Any|Some|One)|any(?:Match|Satisfy|Of)|hasItem|some|anySatisfy|Contains)\b`,
    String.raw`\.(?:any\?|any|Any)(?=\s*[({])|\bany\(`,
  ],
  'g',
);

/** Checks of every element that are now checks of some. */
export function weakerQuantifiers(readings: readonly FileReading[]): readonly WeakenedTest[] {
  return readings.flatMap((reading) => {
    const { path, old, new: next } = reading;
    const strict = old.lines.filter(({ changed, blank, code }, index) => {
      return changed && !blank && old.isTest(index) && code.search(all) >= 0;
    });
    if (strict.length === 0) return [];
    return next.lines.flatMap((line, index) => {
      if (!line.changed || line.blank || !next.isTest(index) || line.code.search(some) < 0) return [];
      if (!strict.slice(0, 50).some((was) => differsInQuantifier(was, line))) return [];
      const evidence = `one element is enough: \`${line.text.trim().slice(0, 120)}\`${inTest(next, index)}`;
      const what = 'weaker-assertion' as const;
      return [{ path, line: line.number, side: 'new' as const, what, evidence }];
    });
  });
}

function differsInQuantifier(was: SourceLine, line: SourceLine): boolean {
  if (line.code.search(all) >= 0) return false;
  const before = wordsOf(was.text.slice(0, 500).replace(all, ' '));
  const after = wordsOf(line.text.slice(0, 500).replace(some, ' '));
  const common = [...before].filter((word) => after.has(word)).length;
  return before.size > 0 && common * 3 >= Math.max(before.size, after.size) * 2;
}
