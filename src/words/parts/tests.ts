import { failsDifferently, flakyTests } from '../../steering/confidence/verifier-results.ts';
import type { TestFailure, TestReport, VerifierOutput } from '../../steering/shapes/attempt-result.ts';
import type { AttemptRecord, FlakyVerifier, State } from '../../steering/state/state.ts';
import { counted, durationText } from '../../text/amounts.ts';
import { ignorable, visible } from '../../text/characters.ts';
import { blobLink, endText } from './common-phrases.ts';
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

const onSameFiles = 'on the same files';

/** `flaky: failed in 1 of 2 runs on the same files`; empty if it ran once. */
export function runsText(output: VerifierOutput): string {
  const { success, failed_runs = [] } = output;
  const failed = failed_runs.length;
  if (failed === 0) return '';
  if (success) return `flaky: failed in ${failed} of ${failed + 1} runs ${onSameFiles}`;
  return inEachText({ runs: failed + 1, differs: failsDifferently(output) });
}

/** Says it of an attempt that has ended. */
export function recordedRunsText(
  { name, success, runs = 1, flaky }: AttemptRecord['verifiers'][number],
  format: Format = markdown,
): string {
  if (runs === 1) return '';
  if (success) return `${format.name(name)} flaky`;
  return `${format.name(name)} ${inEachText({ runs, differs: flaky !== undefined })}`;
}

function inEachText({ runs, differs }: { readonly runs: number; readonly differs: boolean }): string {
  return `failed in each of ${runs} runs${differs ? ', not always in the same way' : ''}`;
}

/** The runs that failed and do not count, each in a line, and the tests that differ; empty without any. */
export function failedRunsText(output: VerifierOutput, format: Format = markdown): string {
  const { failed_runs = [] } = output;
  const lines = failed_runs.map(({ exit_code, duration_s, said: words }) => {
    const time = duration_s === undefined ? '' : ` after ${durationText(duration_s)}`;
    const text = oneLine(words, 400);
    return `- exit code ${exit_code}${time}${text && `: ${format.text(text)}`}`;
  });
  const tests = namesText(flakyTests(output), format);
  return under(
    `Other runs ${onSameFiles} that failed:`,
    said([...lines, tests && `- failed in one run and not in another: ${tests}`]),
  );
}

const maxNames = 10;

function namesText(names: readonly string[], { name }: Format): string {
  const listed = names.slice(0, maxNames).map((each) => name(oneLine(each, 300)));
  return said([...listed, names.length > maxNames && `${names.length - maxNames} more`]).join(', ');
}

/** It says in how many of the last runs of a repository each verifier was flaky. */
export interface FlakyBefore {
  /** How many runs were looked at. */
  readonly runs: number;
  /** By the name of the verifier. */
  readonly times: Readonly<Record<string, number>>;
}

const maxFlaky = 5;

/** The flakiest verifiers, of this run and of those before it; empty if none is known. */
export function flakiestText({ flaky = [] }: Pick<State, 'flaky'>, before?: FlakyBefore): string {
  const others = Object.keys(before?.times ?? {}).filter((name) => flaky.every((each) => each.name !== name));
  const all = [...flaky, ...others.map((name): FlakyVerifier => ({ name, times: 0, tests: [] }))];
  const timesBefore = ({ name }: FlakyVerifier) => before?.times[name] ?? 0;
  const lines = all
    .toSorted((one, other) => timesBefore(other) - timesBefore(one) || other.times - one.times)
    .slice(0, maxFlaky)
    .map((each) => {
      const { name, times, tests } = each;
      const named = namesText(tests, markdown);
      return `- ${markdown.name(name)}: ${said([
        times > 0 && `${counted(times, 'time')} in this run${named && ` (${named})`}`,
        timesBefore(each) > 0 && `in ${timesBefore(each)} of the last ${counted(before?.runs ?? 0, 'run')}`,
      ]).join(', ')}`;
    });
  return under('**Flaky verifiers**, which pass and fail on the same files', lines);
}
