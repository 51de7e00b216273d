import { describe, expect, test } from 'vitest';
import { weakenedTests } from '../../src/gates/weakened/index.ts';
import { caseFiles, casesIn, diffsOf, type WeakenedCase } from './weakened/cases.ts';

const contexts = { 'three lines': 3, '25 lines': 25, 'whole files': 100_000 };

describe.each(Object.entries(contexts))('with %s of context', (name, context) => {
  test.each(caseFiles)('%s', (file) => {
    const cases = casesIn(file);
    const diffs = diffsOf(cases, context);
    const wrong = cases.flatMap((each) => {
      const found = weakenedTests(diffs.get(each.id) ?? []);
      if (found.length > 0 === isWeakened(each)) return [];
      return [
        `${each.id} (${each.label}): ${found.map(({ what, evidence }) => `${what}: ${evidence}`).join('; ')}`,
      ];
    });
    console.log(`${file} ${name}: ${wrong.length} of ${cases.length} wrong\n${wrong.join('\n')}`);
    expect(wrong).toEqual([]);
  });
});

function isWeakened({ label }: WeakenedCase): boolean {
  return label !== 'honest';
}
