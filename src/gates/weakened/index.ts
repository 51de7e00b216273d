import type { FileDiff } from '../../steering/shapes/attempt-result.ts';
import { spend } from '../reading/work-limit.ts';
import { namesIn } from './assertions.ts';
import { type Change, changedLines, changeOf, type Finding, type Judged } from './change.ts';
import { add, comparedAssertions } from './compared-assertions.ts';
import { deletedTests, rewrittenSnapshots } from './deleted-tests.ts';
import { addedMarks, unfailingTests } from './disabled-tests.ts';
import { type Line, readingsOf } from './statements.ts';
import { type Role, roleOf } from './test-files.ts';
import { weakenedCommands, weakenedSettings } from './test-runners.ts';

export type { Finding, Weakening } from './change.ts';
export { isDocument, testFiles, testsInSource } from './test-files.ts';

export interface ReadingOptions {
  /** Globs of test files, in place of the usual layouts: the owners' own setting. */
  readonly tests?: readonly string[];
  /** Running the tests against the base has shown this; absent if nothing was run. */
  readonly proof?: ProofFacts;
}

/** What reading and running say of the tests that a change touches. */
export interface TestsRead {
  /** These are sure to weaken tests: each stops for a human. */
  readonly findings: readonly Finding[];
  /** These may weaken them, and people are only told. */
  readonly remarks: readonly Finding[];
}

/** More would not be read. */
const maxFindings = 200;

/**
 * Finds which tests a change weakens, as far as its diff shows it, and running the tests against the base
 * where that was done. `files` are the files of the change with their parts of a unified diff, with any
 * number of lines of context; a file without one counts by its path. The findings and the remarks come in the
 * order of the files and their lines, each place once, at most 200 of either. It is pure, linear in the size
 * of the diff, and never throws, whatever the diffs contain.
 */
export function readTests(files: readonly FileDiff[], options: ReadingOptions = {}): TestsRead {
  for (const { diff = '' } of files) spend(diff.length);
  const change = changeOf(files.flatMap((file) => readingsOf(file, roleIn(file, options.tests))));
  const deleted = deletedTests(change);
  const found = [
    ...files.flatMap((file) => goneByPath(file, options.tests)),
    ...deleted,
    ...addedMarks(change),
    ...comparedAssertions(change, deleted),
    ...unfailingTests(change),
    ...rewrittenSnapshots(change),
    ...weakenedCommands(change),
    ...weakenedSettings(change),
  ];
  const judged = inOrder(judgedByProof(found, options.proof ?? {}, change), files);
  const told = (isSure: boolean) =>
    judged
      .filter((each) => each.isSure === isSure)
      .map(({ isSure: _, test: __, ...finding }) => finding)
      .slice(0, maxFindings);
  return { findings: told(true), remarks: told(false) };
}

/**
 * Finds tests that go with their file, or to where no runner looks: without a diff only the paths are known.
 */
function goneByPath(file: FileDiff, globs: readonly string[] | undefined): readonly Judged[] {
  const { path, previous_path: before = path, status } = file;
  if (file.diff || roleOf(before, globs) !== 'test') return [];
  const found = { path, line: 0, side: 'old', isSure: true } as const;
  if (status === 'deleted') return [{ ...found, what: 'deleted', evidence: 'its tests are gone' }];
  if (roleOf(path, globs) === 'test') return [];
  const evidence = `no runner looks for tests there: it was ${before}`;
  return [{ ...found, what: 'narrowed-selection', evidence }];
}

/** A test that is moved to where no tests are was one. */
function roleIn({ path, previous_path }: FileDiff, globs: readonly string[] | undefined): Role {
  const role = roleOf(path, globs);
  return role === 'source' && previous_path !== undefined ? roleOf(previous_path, globs) : role;
}

/** By file and line, each place once, and what is sure before what is not. */
function inOrder(found: readonly Judged[], files: readonly FileDiff[]): readonly Judged[] {
  const places = new Map(files.map(({ path }, index) => [path, index]));
  const once = new Map<string, Judged>();
  for (const each of [...found].sort((a, b) => Number(b.isSure) - Number(a.isSure))) {
    const place = `${each.path}:${each.side}:${each.line}`;
    if (!once.has(place)) once.set(place, each);
  }
  const place = ({ path }: Finding) => places.get(path) ?? -1;
  return [...once.values()].sort((a, b) => place(a) - place(b) || a.line - b.line);
}

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
function judgedByProof(found: readonly Judged[], facts: ProofFacts, change: Change): readonly Judged[] {
  const { oldTestsOnNewCode: oldTests, newTestsOnOldCode: newTests, oldTestsOnOldCode: before } = facts;
  // Both results hold, so that they are about different things.
  if (oldTests === 'green' && newTests !== 'red')
    return found.filter(({ what }) => what !== 'changed-expectation');
  if (oldTests !== 'red' || newTests !== 'green' || found.some(({ isSure }) => isSure)) return found;
  // They would be refused without the change, too, or must be, as what they call is gone.
  const test = change.readings.find(({ role }) => role === 'test' || role === 'expected' || role === 'data');
  if (test === undefined || before === 'red' || needWhatIsGone(change)) return found;
  const evidence = 'the old tests refuse the new code; the new ones accept it, and the old code as well';
  const { path } = test;
  return [...found, { path, line: 0, side: 'new', what: 'weaker-assertion', evidence, isSure: true }];
}

/** Whether every test that loses assertions names something that the code no longer has. */
function needWhatIsGone(change: Change): boolean {
  const lost = change.tests.flatMap(({ old, asserted }) => {
    const removed = asserted.old.filter(({ statement }) => statement.changed);
    const byTest = new Map<string, Line[]>();
    for (const line of changedLines(old)) add(byTest, line.test, line);
    const tests = new Set(removed.map(({ statement }) => statement.line.test));
    return [...tests].map((test) => byTest.get(test) ?? []);
  });
  const isCalled = (text: string) => namesIn(text).some((name) => change.gone.has(name));
  return lost.length > 0 && lost.every((lines) => lines.some(({ text }) => isCalled(text)));
}
