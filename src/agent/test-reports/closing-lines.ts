import { anyOf } from '../../text/pattern/any-of.ts';

/** The closing lines of runners; not those about files, suites or single classes. */
const closing = anyOf(
  [
    String.raw`^(?!.*(?:Test Files|Test Suites|Time elapsed|Snapshots)).*(?:\b\d+ (?:passed|passing|failed|failing|examples?|runs|tests?)\b|\bTests run: \d+|^Tests: \d+|^[#ℹ] (?:pass|fail) \d+).*$`,
  ],
  'gm',
);
const ended = /(\d+) (?:passed|passing|failed|failing)\b|[#ℹ] (?:pass|fail) (\d+)/g;
const listed = /(\d+) (?:examples?|runs|tests?)\b|\bTests(?: run)?: (\d+)/g;
const leftOut = /(\d+) (?:pending|skipped|skips)\b|Skipped: (\d+)/g;

/** Enough for the closing lines of several packages. */
const maxRead = 20_000;

/** How many tests were run, as far as the closing lines of their runner say so; undefined if they do not. */
export function testsRun(output: string): number | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: runners colour their closing lines.
  const plain = output.slice(-maxRead).replace(/\u001b\[[\d;]*m/g, '');
  const lines = plain.match(closing) ?? [];
  if (lines.length === 0) return undefined;
  const counted = (line: string, pattern: RegExp) =>
    [...line.matchAll(pattern)].reduce((total, [, one, other]) => total + Number(one ?? other), 0);
  return lines.reduce((total, line) => {
    const ran = counted(line, ended);
    return total + (ran > 0 ? ran : counted(line, listed) - counted(line, leftOut));
  }, 0);
}
