import { namesIn } from './assertions.ts';
import { type Change, changedLines } from './change.ts';
import type { Judged } from './finding.ts';

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
  found: readonly Judged[],
  facts: ProofFacts,
  change: Change,
): readonly Judged[] {
  const { oldTestsOnNewCode: oldTests, newTestsOnOldCode: newTests, oldTestsOnOldCode: before } = facts;
  // Both results hold, so that they are about different things.
  if (oldTests === 'green' && newTests !== 'red')
    return found.filter(({ what }) => what !== 'changed-expectation');
  if (oldTests !== 'red' || newTests !== 'green' || found.some(({ isSure }) => isSure)) return found;
  // They would be refused without the change, too, or must be, as what they call is gone.
  const test = change.readings.find(({ role }) => role === 'test' || role === 'expected' || role === 'data');
  if (test === undefined || before === 'red' || needWhatIsGone(change)) return found;
  const evidence = 'the old tests refuse the new code; the new ones accept it, and the old code as well';
  return [
    ...found,
    { path: test.path, line: 0, side: 'new', what: 'weaker-assertion', evidence, isSure: true },
  ];
}

/** Whether every test that loses assertions names something that the code no longer has. */
function needWhatIsGone(change: Change): boolean {
  const lost = change.tests.flatMap(({ old, asserted }) => {
    const removed = asserted.old.filter(({ statement }) => statement.changed);
    const tests = new Set(removed.map(({ statement }) => statement.line.test));
    return [...tests].map((test) => changedLines(old).filter((line) => line.test === test));
  });
  const isCalled = (text: string) => namesIn(text).some((name) => change.gone.has(name));
  return lost.length > 0 && lost.every((lines) => lines.some(({ text }) => isCalled(text)));
}
