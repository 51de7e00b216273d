import { expect, test } from 'vitest';
import { judgedChanges } from '../../src/agent/attempt/judged-changes.ts';
import type { ProofRun } from '../../src/steering/shapes/proof.ts';
import { casesIn, contentOf, runFiles, type WeakenedCase } from '../gates/weakened/cases.ts';
import { type AgentFixture, agentFixture, verifyBy } from './agent-fixture.ts';
import { commitOn } from './commit-on.ts';

/**
 * Small projects whose tests are really run: what reading finds alone, and what the gate says after the old
 * tests met the new code, and the new tests the old code.
 */
const cases = runFiles.flatMap(casesIn);

const floors = { precision: 0.95, recall: 0.92 };

/** Filled by the tests of each, which come first. */
const measured: Measured[] = [];

test.each(cases)('$id: the tests answer as it is noted: $says', async (each) => {
  const found = await measure(each);
  measured.push(found);
  expect(found.facts).toBe(each.proof);
});

test.each([
  ['reading alone', (each: Measured) => each.byReading],
  ['reading with a proof that was run', (each: Measured) => each.withProof],
])('%s finds weakened tests, and little else', (judged, isFound) => {
  expect(measured).toHaveLength(cases.length);
  const wrong = measured.filter((each) => isFound(each) !== isWeakened(each));
  const missed = wrong.filter(isWeakened);
  const right = measured.filter(isWeakened).length - missed.length;
  const precision = right / (right + wrong.length - missed.length);
  const recall = right / (right + missed.length);
  const numbers = `precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`;
  console.log(`${judged}, ${cases.length} changes that were run: ${numbers}`);
  for (const { each } of wrong) console.log(`  wrong: ${each.id}: ${each.says}`);
  if (judged === 'reading alone') return;
  expect(precision).toBeGreaterThanOrEqual(floors.precision);
  expect(recall).toBeGreaterThanOrEqual(floors.recall);
});

test('both kinds are there in number', () => {
  expect(measured.filter(isWeakened).length).toBeGreaterThanOrEqual(25);
  expect(measured.filter((each) => !isWeakened(each)).length).toBeGreaterThanOrEqual(25);
});

interface Measured {
  readonly each: WeakenedCase;
  readonly facts: string;
  readonly byReading: boolean;
  readonly withProof: boolean;
}

async function measure(each: WeakenedCase): Promise<Measured> {
  const on = await agentFixture(before(each));
  const commit = commitOn(on, after(each));
  const outcome = await verifyBy({ test: 'node --test' }, on, { settings: { proof: 'on' }, commit });
  if (outcome.kind !== 'verified') throw new Error(`${each.id}: ${JSON.stringify(outcome)}`);
  if (!outcome.verifiers.every(({ success }) => success))
    throw new Error(`${each.id} is red with its own tests: ${JSON.stringify(outcome.verifiers)}`);
  const { proof, baseline, gates } = outcome;
  const runs = { 'old on new': proof?.old_tests, 'new on old': proof?.without_change };
  return {
    each,
    facts: factsOf({ ...runs, 'old on old': baseline?.run }),
    byReading: await isFoundByReading(on, commit),
    withProof: gates.some(({ rule }) => rule === 'weakens-tests'),
  };
}

async function isFoundByReading(on: AgentFixture, head: string): Promise<boolean> {
  const { gates } = await judgedChanges(on.mirror, { base: on.head, head });
  return gates.some(({ rule }) => rule === 'weakens-tests');
}

/** As the cases note it; what is green before is not worth a word. */
function factsOf(runs: Readonly<Record<string, ProofRun | undefined>>): string {
  const facts = Object.entries(runs).flatMap(([name, run]) => {
    if (run?.outcome !== 'ran') return [];
    const isGreen = run.verifiers.every(({ success }) => success);
    return isGreen && name === 'old on old' ? [] : [`${name} ${isGreen ? 'green' : 'red'}`];
  });
  return facts.join(', ') || 'none';
}

type Files = Readonly<Record<string, string>>;

function before({ files }: WeakenedCase): Files {
  const known = files.flatMap((file) => {
    const content = contentOf(file, 'before');
    return content === null ? [] : [[file.path, content]];
  });
  return Object.fromEntries(known);
}

function after({ files }: WeakenedCase): Readonly<Record<string, string | null>> {
  return Object.fromEntries(files.map((file) => [file.path, contentOf(file, 'after')]));
}

function isWeakened({ each }: Measured): boolean {
  return each.label !== 'honest';
}
