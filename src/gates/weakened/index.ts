import type { FileDiff } from '../../steering/attempt-result.ts';
import { assertionChanges } from './assertion-changes.ts';
import { uncollectedTests } from './collection.ts';
import { narrowedCoverage } from './coverage-scope.ts';
import { deletedTests, lostFiles } from './deleted-tests.ts';
import type { WeakenedTest } from './finding.ts';
import { narrowedInputs } from './generated-inputs.ts';
import { mockedSubjects } from './mocked-subjects.ts';
import { loweredCounts } from './planned-counts.ts';
import { judgedByProof, type ProofFacts } from './proof.ts';
import { weakerQuantifiers } from './quantifiers.ts';
import { readingOf } from './reading.ts';
import { rewrittenSnapshots } from './rewritten-snapshots.ts';
import { skippedTests } from './skipped-tests.ts';
import { loosenedImports } from './strict-imports.ts';
import { stubbedResults } from './stubbed-results.ts';
import { swallowedFailures } from './swallowed-failures.ts';
import { looserLimits } from './test-limits.ts';
import { pairTests } from './test-pairs.ts';
import { weakenedSettings } from './test-settings.ts';
import { testedCode } from './tested-code.ts';
import { unmarkedFiles } from './unmarked-files.ts';
import { weakenedCommands } from './verifying-commands.ts';
import { weakenedSteps } from './workflow-steps.ts';

export type { WeakenedTest, Weakening } from './finding.ts';
export type { ProofFacts } from './proof.ts';
export { isDocument } from './role.ts';
export { testFiles } from './test-files.ts';
export { testsInSource } from './tests-in-source.ts';

export interface ReadingOptions {
  /** Globs of test files, in place of the usual layouts: the owners' own setting. */
  readonly tests?: readonly string[];
  /** What running the tests against the base has shown; absent if nothing was run. */
  readonly proof?: ProofFacts;
}

/** More would not be read. */
const maxFindings = 200;

/**
 * Which tests a diff weakens, as far as reading it shows, and running them where that was done: the places
 * in the order of the files, at most 200.
 * Pure, linear in the size of the diff, and never throws, whatever the diffs contain.
 */
export function weakenedTests(
  files: readonly FileDiff[],
  options: ReadingOptions = {},
): readonly WeakenedTest[] {
  const readings = files.map((file) => readingOf(file, options.tests));
  const tested = testedCode(readings);
  const pairs = pairTests(readings);
  const found = [
    ...lostFiles(readings, { tested, globs: options.tests }),
    ...unmarkedFiles(readings),
    ...deletedTests(readings, { pairs, tested }),
    ...skippedTests(readings, pairs),
    ...assertionChanges(readings, { pairs, tested }),
    ...loweredCounts(readings, pairs),
    ...loosenedImports(readings),
    ...swallowedFailures(readings),
    ...looserLimits(readings),
    ...mockedSubjects(readings),
    ...stubbedResults(readings),
    ...weakerQuantifiers(readings),
    ...rewrittenSnapshots(readings, tested),
    ...weakenedCommands(readings),
    ...weakenedSteps(readings),
    ...weakenedSettings(readings),
    ...uncollectedTests(readings),
    ...narrowedInputs(readings),
    ...narrowedCoverage(readings),
  ];
  return judgedByProof(inOrder(found, files), { ...options.proof, tests: options.tests }, readings).slice(
    0,
    maxFindings,
  );
}

/** By file and line, each place once. */
function inOrder(found: readonly WeakenedTest[], files: readonly FileDiff[]): readonly WeakenedTest[] {
  const places = new Map(files.map(({ path }, index) => [path, index]));
  const once = new Map<string, WeakenedTest>();
  for (const each of found) {
    const place = `${each.path}:${each.side}:${each.line}`;
    if (!once.has(place)) once.set(place, each);
  }
  const place = ({ path }: WeakenedTest) => places.get(path) ?? -1;
  return [...once.values()].sort((a, b) => place(a) - place(b) || a.line - b.line);
}
