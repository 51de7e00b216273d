import type { TestReport } from '../../steering/attempt-result.ts';
import { anyOf } from '../../text/pattern/any-of.ts';

/** The closing lines of runners. */
const closing = anyOf([
  String.raw`\b\d+ (?:pass(?:ed|ing)|fail(?:ed|ing)|pending|examples?|runs|tests?)\b`,
  String.raw`\bTests run: \d|^Tests: \d|\bTotal(?: tests)?: +\d`,
  String.raw`^[#ℹ] (?:pass|fail|skipped|todo) \d|^ *\d+ (?:pass|fail|skip|todo)$`,
]);

/** Lines about files, suites or single classes, and those that say what is about to be run. */
const others = anyOf([
  'Test Files|Test Suites|Time elapsed|Snapshots',
  String.raw`^\s*(?:Running|running|Starting|Found) \d|^Ran \d+ tests? across`,
]);

const passed = /(\d+) pass(?:ed|ing)?\b|\bPassed: +(\d+)|[#ℹ] pass (\d+)/g;
const failed = anyOf(
  [
    String.raw`(\d+) (?:tests? )?(?:fail(?:ed|ing|ures?)?|errors?)\b`,
    String.raw`\b(?:Failures|Errors|Failed): +(\d+)|\b(?:failures|errors)=(\d+)|[#ℹ] fail (\d+)`,
  ],
  'g',
);
const skipped = anyOf(
  [
    String.raw`(\d+) (?:pending|skip(?:ped|s)?|ignored|todo)\b`,
    String.raw`\bSkipped: +(\d+)|\bskipped=(\d+)|[#ℹ] (?:skipped|todo) (\d+)`,
  ],
  'g',
);
const listed = anyOf(
  [
    String.raw`(\d+) (?:examples?|runs|total|tests?(?! failed))\b|\bout of (\d+)`,
    String.raw`\bTests(?: run)?: (\d+)|\bTotal(?: tests)?: +(\d+)`,
  ],
  'g',
);

/** Enough for the closing lines of several packages. */
const maxRead = 20_000;

/** The tests that the closing lines of their runners tell of; undefined if there are no such lines. */
export function testsInClosingLines(output: string): TestReport | undefined {
  const plain = output
    .slice(-maxRead)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: runners colour their closing lines.
    .replace(/\u001b\[[\d;]*m/g, '')
    // Python and .NET say how many there were in one line, and how they ended in the next.
    .replace(/^(Ran \d+ tests? in .*)\n+/gm, '$1 ')
    .replace(/\n +(?=(?:Passed|Failed|Skipped): +\d+$)/gm, ' ');
  const lines = plain.split('\n').filter((line) => closing.test(line) && !others.test(line));
  if (lines.length === 0) return undefined;
  const counts = lines.map(countsIn);
  const sum = (of: 'total' | 'failed' | 'skipped') => counts.reduce((all, each) => all + each[of], 0);
  const all = { total: sum('total'), failed: sum('failed'), skipped: sum('skipped') };
  return { from: 'closing_lines', ...all, failures: [] };
}

/** A line that names those that passed may leave those that were skipped out of its total. */
function countsIn(line: string) {
  const count = (pattern: RegExp) =>
    [...line.matchAll(pattern)].reduce((total, [, ...all]) => total + numberIn(all.join('')), 0);
  const own = { passed: count(passed), failed: count(failed), skipped: count(skipped) };
  const named = own.passed + own.failed + own.skipped;
  return { ...own, total: own.passed > 0 ? named : Math.max(count(listed), named) };
}

/** Nobody runs more, and JSON has no infinite numbers. */
const most = 1_000_000_000;

function numberIn(digits: string): number {
  return Math.min(Number(digits), most);
}
