import type { WeakenedTest } from './finding.ts';

/** What running tests against the other side of a change has shown; a missing fact was not run. */
export interface ProofFacts {
  /** The tests as they are on the base, run with the new code. */
  readonly oldTestsOnNewCode?: 'green' | 'red';
  /** The new tests, run with the code of the base. */
  readonly newTestsOnOldCode?: 'green' | 'red';
}

/**
 * What reading found, judged again by what running has shown, of all verifiers together: red if one is red.
 * The tests themselves are green with their own code on both sides; otherwise there is nothing to compare.
 */
export function judgedByProof(
  found: readonly WeakenedTest[],
  facts: ProofFacts,
  changed: { readonly tests: readonly string[]; readonly sources: readonly string[] },
): readonly WeakenedTest[] {
  const { oldTestsOnNewCode: oldTests, newTestsOnOldCode: newTests } = facts;
  const [path] = changed.tests;
  if (path === undefined) return found;
  if (oldTests === 'green') return found.filter((each) => !isNeedless(each, newTests));
  const changesBoth = changed.sources.length > 0;
  if (oldTests === 'red' && newTests === 'green' && changesBoth && found.length === 0) {
    const evidence = 'the old tests refuse the new code; the new ones accept it, and the old code as well';
    return [{ path, line: 0, side: 'new', what: 'weaker-assertion', evidence }];
  }
  return found;
}

/**
 * Another result is stated, and yet the old statement holds as well: both are about different things, so that
 * nothing was changed to fit. What is only said less strictly holds too, and stays found.
 */
function isNeedless({ what }: WeakenedTest, newTests: ProofFacts['newTestsOnOldCode']): boolean {
  return what === 'changed-expectation' && newTests !== 'red';
}

/** New tests that pass without the change: they say nothing about it. */
export function provesNothing(facts: ProofFacts, addsTests: boolean): boolean {
  return addsTests && facts.newTestsOnOldCode === 'green';
}
