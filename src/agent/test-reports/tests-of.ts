import type { TestFailure, TestReport } from '../../steering/shapes/attempt-result.ts';
import { shortened } from '../../text/cut.ts';
import { redact } from '../../text/redact.ts';
import { visible } from '../../text/visible.ts';
import { testsInClosingLines } from './closing-lines.ts';
import { failureOf } from './failure.ts';
import { filesIn, findReports, openReport, type Search } from './find-reports.ts';
import { NoReport, readJUnit, type TestCase, Unreadable } from './junit.ts';

/** The run of a verifier that has ended. */
export interface Ended extends Search {
  /** Its real path. */
  readonly workspace: string;
  /** The workspace as the verifier saw it. */
  readonly seenAs: string;
  readonly secrets: readonly string[];
  /** What it printed. */
  readonly output: string;
  /** Its exit code was 0. */
  readonly success: boolean;
}

const maxFailures = 100;

/**
 * What a verifier says of single tests: in the reports that it wrote, else in its closing lines. Undefined if
 * neither is understood. Everything in them was written by programs of the repository.
 */
export async function testsOf(ended: Ended): Promise<TestReport | undefined> {
  const { unread, ...tests } = await readReports(ended);
  const said = testsInClosingLines(ended.output);
  if (unread.length === 0 && tests.total === 0) return said;
  // Of several runners, or packages, some may have written no report, or one that was not read.
  const isMore = said !== undefined && said.total > tests.total && said.failed >= tests.failed;
  const counts = isMore ? said : tests;
  if (unread.length === 0) return { ...counts, failures: tests.failures };
  return { ...counts, failures: tests.failures, unread: unread.map((each) => shown(each, ended.secrets)) };
}

const maxUnread = 2000;
const maxPath = 300;

function shown(text: string, secrets: readonly string[]): string {
  return shortened(visible(redact(text, secrets)).replace(/\s+/g, ' '), maxUnread);
}

async function readReports(ended: Ended) {
  const { workspace, globs } = ended;
  const found = await findReports(workspace, ended);
  const isFile = filesIn(workspace);
  // Where not everything was searched, nobody knows.
  const isMissing = globs !== undefined && found.paths.length === 0 && found.unread.length === 0;
  const unread = [
    ...(isMissing ? [`${globs.join(', ')}: the command wrote no such file`] : []),
    ...found.unread,
  ];
  const failures: TestFailure[] = [];
  const counts = { total: 0, failed: 0, skipped: 0 };
  for (const report of found.paths) {
    let failed: readonly TestCase[] = [];
    const tries = new Map<string, number>();
    const onCase = (test: TestCase) => {
      const id = idOf(test);
      const before = tries.get(id) ?? 0;
      if (test.outcome === 'failed') tries.set(id, before + 1);
      // Gradle and gotestsum name each try of a test: what passed in the end has not failed.
      if (ended.success && test.outcome === 'passed' && before > 0) {
        tries.delete(id);
        counts.failed -= before;
        counts.total -= before;
        failed = failed.filter((each) => idOf(each) !== id);
      }
      counts.total += 1;
      if (test.outcome !== 'passed') counts[test.outcome] += 1;
      if (test.outcome === 'failed' && failures.length + failed.length < maxFailures)
        failed = [...failed, test];
    };
    const why = await readOne(ended, report, onCase);
    if (why instanceof NoReport ? globs !== undefined : why !== undefined)
      unread.push(`${shortened(report, maxPath)}: ${why?.message}`);
    for (const test of failed) failures.push(await failureOf(test, { ...ended, isFile, report }));
  }
  return { from: 'junit' as const, ...counts, failures, unread };
}

function idOf({ suites, classname, name }: TestCase): string {
  return JSON.stringify([suites, classname, name]);
}

/** Why it was not read, or not to its end. */
async function readOne(
  { workspace, since }: Ended,
  report: string,
  onCase: (test: TestCase) => void,
): Promise<Unreadable | undefined> {
  const file = await openReport(workspace, report, since);
  if (typeof file === 'string') return new Unreadable(file);
  try {
    await readJUnit(file, onCase);
  } catch (fault) {
    if (fault instanceof Unreadable) return fault;
    throw new Error(`could not read ${report}`, { cause: fault });
  }
  return undefined;
}
