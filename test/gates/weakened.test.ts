import { describe, expect, test } from 'vitest';
import { type ProofFacts, type WeakenedTest, weakenedTests } from '../../src/gates/weakened/index.ts';
import type { FileDiff } from '../../src/steering/attempt-result.ts';
import { caseFiles, casesIn, diffsOf, freshFiles, runFiles, type WeakenedCase } from './weakened/cases.ts';

/** What Git shows by default, what we ask it for, and files as a whole. */
const contexts = { 'three lines': 3, '25 lines': 25, 'whole files': 100_000 };

const cases = caseFiles.flatMap(casesIn);

/** Fixed, so that a change of the rules which loses more than it gains is noticed. */
const floor = 0.95;

describe.each(Object.entries(contexts))('with %s of context', (name, context) => {
  const readings = new Map([...diffsOf(cases, context)].map(([id, files]) => [id, readingOf(files)]));

  test.each([
    ['reading alone', (each: WeakenedCase) => found(each).found.length > 0],
    ['reading with proof', (each: WeakenedCase) => proven(each, found(each))],
  ])(`%s finds weakened tests, and little else`, (judged, isFound) => {
    const wrong = cases.filter((each) => isFound(each) !== isWeakened(each));
    const missed = wrong.filter(isWeakened);
    const right = cases.filter(isWeakened).length - missed.length;
    const precision = right / (right + wrong.length - missed.length);
    const recall = right / (right + missed.length);
    const numbers = `precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`;
    console.log(`${judged}, ${name}, ${cases.length} changes: ${numbers}`);
    for (const { id, says } of wrong) console.log(`  wrong: ${id}: ${says}`);
    expect(precision).toBeGreaterThanOrEqual(floor);
    expect(recall).toBeGreaterThanOrEqual(floor);
  });

  function found({ id }: WeakenedCase): Reading {
    return readings.get(id) ?? readingOf([]);
  }
});

test('changes that the rules were never fitted to are read well, too', () => {
  const fresh = freshFiles.flatMap(casesIn);
  const readings = diffsOf(fresh, 3);
  const hits = fresh.filter(({ id }) => weakenedTests(readings.get(id) ?? []).length > 0);
  const right = hits.filter(isWeakened).length;
  const precision = right / hits.length;
  const recall = right / fresh.filter(isWeakened).length;
  console.log(`fresh, ${fresh.length} changes: ${precision.toFixed(3)}, ${recall.toFixed(3)}`);
  expect(precision).toBeGreaterThan(0.9);
  expect(recall).toBeGreaterThan(0.85);
});

/** That the results noted are those of the verifiers is measured beside the agent, where they are run. */
test.each(Object.entries(contexts))('what was run is judged rightly with %s of context', (_, context) => {
  const run = runFiles.flatMap(casesIn);
  const diffs = diffsOf(run, context);
  const changed = ({ id }: WeakenedCase) =>
    (diffs.get(id) ?? []).filter(({ additions, deletions }) => additions + deletions > 0);
  const hits = run.filter((each) => proven(each, readingOf(changed(each))));
  const wrong = run.filter((each) => hits.includes(each) !== isWeakened(each));
  for (const { id, says } of wrong) console.log(`  wrong: ${id}: ${says}`);
  const right = hits.filter(isWeakened).length;
  expect(right / hits.length).toBeGreaterThanOrEqual(floor);
  expect(right / run.filter(isWeakened).length).toBeGreaterThanOrEqual(floor);
});

test('each case has an id of its own, and both kinds are there in number', () => {
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  expect(cases.filter(isWeakened).length).toBeGreaterThan(100);
  expect(cases.filter((each) => !isWeakened(each)).length).toBeGreaterThan(100);
});

test('a finding says where and what', () => {
  const [found] = weakenedTests(diffsOf(casesIn('script.cases'), 3).get('ts-weaker-defined') ?? []);
  expect(found).toEqual({
    path: 'src/price.test.ts',
    line: 3,
    side: 'new',
    what: 'weaker-assertion',
    evidence:
      '`expect(price).toBeDefined()` says less than before (was `expect(price).toBe(150)`) in "discount is applied"',
  });
});

function isWeakened({ label }: WeakenedCase): boolean {
  return label !== 'honest';
}

interface Reading {
  readonly files: readonly FileDiff[];
  readonly found: readonly WeakenedTest[];
}

function readingOf(files: readonly FileDiff[]): Reading {
  return { files, found: weakenedTests(files) };
}

function proven(each: WeakenedCase, { files, found }: Reading): boolean {
  return each.proof === undefined
    ? found.length > 0
    : weakenedTests(files, { proof: factsOf(each) }).length > 0;
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
