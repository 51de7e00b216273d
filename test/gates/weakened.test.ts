import { describe, expect, test } from 'vitest';
import { type ProofFacts, readTests, type TestsRead } from '../../src/gates/index.ts';
import { caseFiles, casesIn, diffsOf, freshFiles, runFiles, type WeakenedCase } from './weakened/cases.ts';

/** What Git shows by default, what we ask it for, and files as a whole. */
const contexts = { 'three lines': 3, '25 lines': 25, 'whole files': 100_000 };

/**
 * What is required of each set, fixed so that a change of the rules which loses more than it gains is noticed:
 * those of the frameworks, those by people who have never seen the rules, and those whose tests were run.
 */
const floors = {
  frameworks: { files: caseFiles, precision: 0.92, recall: 0.72 },
  fresh: { files: freshFiles, precision: 0.85, recall: 0.66 },
  run: { files: runFiles, precision: 0.95, recall: 0.92 },
};

describe.each(Object.entries(contexts))('with %s of context', (name, context) => {
  test.each(Object.entries(floors))('of the set %s, most weakened tests are found', (set, floor) => {
    const cases = floor.files.flatMap(casesIn);
    const read = readingsOf(cases, context);
    const hits = cases.filter((each) => (read.get(each.id)?.findings ?? []).length > 0);
    const right = hits.filter(isWeakened).length;
    const [precision, recall] = [right / hits.length, right / cases.filter(isWeakened).length];
    console.log(
      `${set}, ${name}, ${cases.length}: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`,
    );
    expect(precision).toBeGreaterThanOrEqual(floor.precision);
    expect(recall).toBeGreaterThanOrEqual(floor.recall);
  });
});

test('no honest change whose tests were run is stopped', () => {
  const honest = runFiles.flatMap(casesIn).filter((each) => !isWeakened(each));
  const read = readingsOf(honest, 25);
  expect(honest.filter(({ id }) => (read.get(id)?.findings ?? []).length > 0)).toEqual([]);
});

test('each case has an id of its own, and both kinds are there in number', () => {
  const cases = [...caseFiles, ...freshFiles, ...runFiles].flatMap(casesIn);
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  expect(cases.filter(isWeakened).length).toBeGreaterThan(100);
  expect(cases.filter((each) => !isWeakened(each)).length).toBeGreaterThan(100);
});

test('a finding says where and what', () => {
  const [found] = readingsOf(casesIn('script.cases'), 3).get('ts-weaker-defined')?.findings ?? [];
  expect(found).toEqual({
    path: 'src/price.test.ts',
    line: 3,
    side: 'new',
    what: 'weaker-assertion',
    evidence:
      'it says less than before (was `expect(price).toBe(150);`): `expect(price).toBeDefined();` in "discount is applied"',
  });
});

test('what is only suspected is a remark', () => {
  const diff =
    '@@ -1,4 +1,3 @@\n test("a", () => {\n   const a = make();\n-  expect(a).toBeDefined();\n   use(a);\n });\n';
  const file = { path: 'a.test.ts', status: 'modified', additions: 0, deletions: 1, diff } as const;
  expect(readTests([file])).toMatchObject({
    findings: [],
    remarks: [{ what: 'removed-assertion', side: 'old' }],
  });
});

test('a test that gets another name hides no assertion that it loses', () => {
  const diff = [
    '@@ -1,5 +1,4 @@',
    "-test('sums two numbers', () => {",
    "+test('sums numbers', () => {",
    '   expect(sum(1, 2)).toBe(3);',
    '-  expect(sum(-1, 1)).toBe(0);',
    ' });',
  ];
  expect(readTests([modified('sum.test.ts', diff)]).findings).toMatchObject([
    { what: 'removed-assertion', side: 'old', line: 3 },
  ]);
});

test.each([
  ['a cache before it', ['       - uses: actions/cache@v4', '       - run: npm test'], 1],
  ['an upload after it', ['       - run: npm test'], 1],
  ['itself', ['       - uses: codecov/codecov-action@v4'], 0],
])('a step whose failure does not count is judged by what it does: %s', (_, before, found) => {
  const after = '       - uses: actions/upload-artifact@v4';
  const lines = ['@@ -1,9 +1,10 @@', ...before, '+        continue-on-error: true', after];
  expect(readTests([modified('.github/workflows/ci.yml', lines)]).findings).toHaveLength(found);
});

function modified(path: string, lines: readonly string[]) {
  return { path, status: 'modified', additions: 1, deletions: 1, diff: `${lines.join('\n')}\n` } as const;
}

function isWeakened({ label }: WeakenedCase): boolean {
  return label !== 'honest';
}

function readingsOf(cases: readonly WeakenedCase[], context: number): ReadonlyMap<string, TestsRead> {
  const diffs = diffsOf(cases, context);
  return new Map(
    cases.map((each) => {
      const files = (diffs.get(each.id) ?? []).filter(
        ({ additions, deletions, diff }) => additions + deletions > 0 || diff === undefined,
      );
      return [each.id, readTests(files, { proof: factsOf(each) })];
    }),
  );
}

/** `old on new red, new on old green, old on old red` */
function factsOf({ proof = '' }: WeakenedCase): ProofFacts {
  const fact = (name: string) => new RegExp(`${name} (green|red)`).exec(proof)?.[1];
  const [old, next, before] = [fact('old on new'), fact('new on old'), fact('old on old')];
  return {
    ...((old === 'green' || old === 'red') && { oldTestsOnNewCode: old }),
    ...((next === 'green' || next === 'red') && { newTestsOnOldCode: next }),
    ...((before === 'green' || before === 'red') && { oldTestsOnOldCode: before }),
  };
}
