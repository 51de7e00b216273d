import type { WeakenedTest } from './finding.ts';
import type { FileReading } from './reading.ts';
import { isTestFile } from './test-files.ts';
import { needWhatIsGone } from './withdrawn.ts';

/** What running tests against the other side of a change has shown; a missing fact was not run. */
export interface ProofFacts {
  /** The tests as they are on the base, run with the new code. */
  readonly oldTestsOnNewCode?: 'green' | 'red';
  /** The new tests, run with the code of the base. */
  readonly newTestsOnOldCode?: 'green' | 'red';
  /** The base as it is; red if all is red there that the old tests say of the new code. */
  readonly oldTestsOnOldCode?: 'green' | 'red';
}

/**
 * What reading found, judged again by what running has shown, of all verifiers together: red if one is red.
 * The new tests are green with the new code; otherwise there is nothing to compare.
 */
export function judgedByProof(
  found: readonly WeakenedTest[],
  { tests, ...facts }: ProofFacts & { readonly tests?: readonly string[] | undefined },
  readings: readonly FileReading[],
): readonly WeakenedTest[] {
  const { oldTestsOnNewCode: oldTests, newTestsOnOldCode: newTests } = facts;
  if (oldTests === 'green') return found.filter((each) => !isNeedless(each, newTests));
  if (oldTests !== 'red' || newTests !== 'green' || found.length > 0) return found;
  // In a language that nobody reads, too.
  const test = readings.find(({ path }) => isTestFile(path, tests));
  if (test === undefined || !readings.some(({ role }) => role === 'source')) return found;
  // They would be refused without the change, too, or must be, as what they call is gone.
  if (facts.oldTestsOnOldCode === 'red' || needWhatIsGone(readings)) return found;
  const evidence = 'the old tests refuse the new code; the new ones accept it, and the old code as well';
  return [{ path: test.path, line: 0, side: 'new', what: 'weaker-assertion', evidence }];
}

/**
 * Another result is stated, and yet the old statement holds as well: both are about different things, so that
 * nothing was changed to fit. What is only said less strictly holds too, and stays found; and where the new
 * tests refuse the old code, the old ones may be green only because they did not run.
 */
function isNeedless({ what }: WeakenedTest, newTests: ProofFacts['newTestsOnOldCode']): boolean {
  return what === 'changed-expectation' && newTests !== 'red';
}
