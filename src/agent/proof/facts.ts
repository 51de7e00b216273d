import type { ProofFacts } from '../../gates/index.ts';
import { isFlaky } from '../../steering/confidence/flaky.ts';
import type { ProofRun } from '../../steering/shapes/proof.ts';
import type { VerifierResult } from '../attempt/verifiers.ts';
import type { Beyond } from './beyond.ts';
import { testsRun } from './trial.ts';

/**
 * What a proof says about the tests of a change; undefined if nothing was run. A verifier that fails on the
 * change itself says nothing about its tests, nor does one that passes now and then.
 */
export function factsOf(
  { proof, baseline }: Beyond,
  results: readonly VerifierResult[],
): ProofFacts | undefined {
  if (proof === undefined) return undefined;
  const counting = results.filter(({ full }) => full.success && !isFlaky(full)).map(({ full }) => full.name);
  const oldTestsOnNewCode = verdictOf(proof.old_tests, counting);
  const newTestsOnOldCode = verdictOf(proof.without_change, counting);
  if (oldTestsOnNewCode === undefined && newTestsOnOldCode === undefined) return undefined;
  const oldTestsOnOldCode = baseline && wasRed(proof.old_tests, baseline.run) ? 'red' : undefined;
  return {
    ...(oldTestsOnOldCode !== undefined && { oldTestsOnOldCode }),
    ...(oldTestsOnNewCode !== undefined && { oldTestsOnNewCode }),
    ...(newTestsOnOldCode !== undefined && { newTestsOnOldCode }),
  };
}

/** Verifiers that run fewer tests of the change than of the base, where both say how many. */
export function fewerTests({ proof }: Beyond, results: readonly VerifierResult[]): readonly string[] {
  const before = proof?.old_tests.outcome === 'ran' ? proof.old_tests.verifiers : [];
  return results.flatMap(({ full }) => {
    const { name } = full;
    const now = testsRun(full);
    const was = before.find((each) => each.name === name)?.tests;
    if (now === undefined || was === undefined || now >= was) return [];
    return [`${name} ran ${now} tests, and ${was} with the test files of the base`];
  });
}

function verdictOf(run: ProofRun, counting: readonly string[]): 'green' | 'red' | undefined {
  if (run.outcome === 'skipped') return undefined;
  const counted = run.verifiers.filter(({ name, flaky }) => counting.includes(name) && !flaky);
  if (counted.length === 0) return undefined;
  return counted.every(({ success }) => success) ? 'green' : 'red';
}

/** Whether everything that is red was so before the change. */
function wasRed(run: ProofRun, before: ProofRun): boolean {
  const known = redIn(before);
  return redIn(run).every((name) => known.includes(name));
}

function redIn(run: ProofRun): readonly string[] {
  return run.outcome === 'ran' ? run.verifiers.filter(({ success }) => !success).map(({ name }) => name) : [];
}
