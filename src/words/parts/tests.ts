import type { TestFailure, TestReport, VerifierOutput } from '../../steering/shapes/attempt-result.ts';
import { counted } from '../../text/amounts.ts';
import { ignorable, visible } from '../../text/visible.ts';
import { runsText } from './flaky.ts';
import { blobLink, endText } from './phrases.ts';
import { type Format, markdown, oneLine, paragraphs, said, under } from './sanitize.ts';

/** What verifiers say of single tests. Whoever wrote these tests chose their names and messages. */

type Tested = Pick<VerifierOutput, 'success' | 'timed_out' | 'tests'>;

/** `[FAIL] api:test (exit code: 1, 3 of 214 tests failed)`; with `name`, the first that failed is named. */
export function verdictLine(output: VerifierOutput, name?: Format['name']): string {
  const { success, verifier, exit_code, timed_out, check } = output;
  const end = check === undefined ? `exit code: ${exit_code}` : endText(output);
  const how = said([end, testsText(output, name), timed_out && 'timed out', runsText(output)]).join(', ');
  return `[${success ? 'PASS' : 'FAIL'}] ${verifier} (${how})`;
}

/**
 * `3 of 214 tests failed`, `212 tests passed, 2 skipped`, as part of a sentence that has said how the
 * verifier ended; empty if nothing is known of single tests. With `name`, the first that failed is named.
 */
export function testsText(output: Tested, name?: Format['name']): string {
  const { tests, success } = output;
  if (tests === undefined) return '';
  const { failed, failures, total } = tests;
  const first = failures[0] && name && `the first is ${name(failures[0].name)}`;
  if (!isContradicted(output)) return said([countsText(tests), first]).join(', ');
  const whose = tests.from === 'junit' ? 'its report' : 'its output';
  const named = success ? `${counted(failed, 'failed test')} of ${amount(total)}` : 'no failed test';
  return said([`although ${whose} names ${named}`, first]).join(', ');
}

/**
 * Whether a report and the exit code cannot both be right: tests failed of a verifier that passed, or none of
 * one that failed although it ran some to their end.
 */
export function isContradicted({ tests, success, timed_out }: Tested): boolean {
  if (tests === undefined) return false;
  const { failed, unread = [] } = tests;
  if (success) return failed > 0;
  return failed === 0 && passedIn(tests) > 0 && !timed_out && unread.length === 0;
}

function countsText(tests: TestReport): string {
  const { from, total, failed, skipped, unread = [] } = tests;
  const passed = passedIn(tests);
  const isPartial = unread.length > 0 && from === 'junit';
  if (isPartial && total === 0) return 'its report could not be read';
  return said([
    failed > 0
      ? `${amount(failed)} of ${counted(total, 'test')} failed`
      : passed > 0
        ? `${counted(passed, 'test')} passed`
        : 'no tests ran',
    failed === 0 && skipped > 0 && `${amount(skipped)} skipped`,
    isPartial && 'as far as its reports could be read',
  ]).join(', ');
}

function passedIn({ total, failed, skipped }: TestReport): number {
  return Math.max(total - failed - skipped, 0);
}

function amount(count: number): string {
  return count.toLocaleString('en-US');
}

/** How failures are listed. */
interface Listing {
  /** At most so many tests, in at most so many characters. */
  readonly most: number;
  readonly room: number;
  readonly format?: Format;
  /** The repository's address and the commit, where places in files are to be links. */
  readonly at?: { readonly web: string; readonly head: string } | undefined;
}

/**
 * The first tests that failed, each in a line with its place and its message, below what the exit code has to
 * do with them; then the reports that were not read. Empty if there is nothing of that.
 */
export function failuresText(output: Tested, listing: Listing): string {
  const { failures = [], failed = 0, unread = [] } = output.tests ?? {};
  const { most, format = markdown } = listing;
  let { room } = listing;
  const lines = failures.slice(0, most).flatMap((failure) => {
    const line = failureLine(failure, listing);
    room -= line.length;
    return room < 0 ? [] : [line];
  });
  const more = failed - lines.length;
  return paragraphs([
    isContradicted(output) && `${contradictionText(output)}: the exit code counts.`,
    lines.length > 0 && said([...lines, more > 0 && `- and ${amount(more)} more`]).join('\n'),
    under(
      'Reports that were not read, or not to their end:',
      unread.slice(0, most).map((reason) => `- ${format.text(reason)}`),
    ),
  ]);
}

/** What else a verifier runs can fail with green tests; it cannot pass with red ones by itself. */
function contradictionText({ success }: Tested): string {
  if (success) return 'The tests and the exit code contradict each other';
  return 'No failed test is named, so something else may have failed, such as a linter or a check of coverage';
}

function failureLine({ name, message, path, line }: TestFailure, { format = markdown, at }: Listing): string {
  const text = oneLine(message, 500);
  const begins = `- ${format.name(oneLine(name, 300))}${path === undefined ? '' : ' at '}`;
  const ends = text === '' ? '' : `: ${format.text(text)}`;
  if (path === undefined) return `${begins}${ends}`;
  const place = format.name(line === undefined ? path : `${path}:${line}`);
  // What nobody sees in a path could hide a secret, encoded in an address, from what looks for secrets.
  if (at === undefined || visible(path).replace(ignorable, '') !== path) return `${begins}${place}${ends}`;
  return `${begins}[${place}](${blobLink(at.web, at.head, { path, line })})${ends}`;
}
