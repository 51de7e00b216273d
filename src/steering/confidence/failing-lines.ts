import { bounded } from '../phrases/bounded.ts';
import type { VerifierOutput } from '../shapes/attempt-result.ts';

const maxLength = 500;
/** Of a line, more than can be shown is not looked at. */
const maxLine = 2000;
const linesBetween = 2;
const linesAfter = 6;
const lastLines = 8;

/** A line that names a test that has failed; what follows says why. */
const named = [
  /^\s*(?:not ok\b|[✗✖✘×●]|FAIL\b|ERROR: |\d+\) |--- FAIL|=== RUN)/,
  /^(?:---- .* ----|_{3,} .* _{3,})$|\bFAILED$|<<< (?:FAILURE|ERROR)!/,
];

/** A line that says why; what begins with `E` or `>` is pytest's. */
const reason = [/error|exception|assert|expected|panic|traceback|^[E>]\s{3}/i, /^\s*[\w./-]+\.go:\d+:/];

/** A test that passed, or is only announced, may be named after a failure; at the end they are counted. */
const passed = [
  /^\s*(?:✓|✔|√|▶|ok\b|\[?(?:--- )?pass|# Subtest: |● Console$)/i,
  /\b(?:ok|passed)\s*$|^\s*(?:Ran )?\d+ tests? /i,
];

/** A sum may be of none. */
const none = [/\b(?:0|no) (?:\w+ )?(?:error|fail)|\b(?:errors?|fail(?:ed|ures?|s)?)\W+0\b/i];

/** Lines that help nobody: rulers, what TAP tells beside the failure, and calls within runners. */
const noise = [
  /^[^\p{L}\p{N}]*$/u,
  /^\s*(?:duration_ms: [\d.]+|location: '.*'|exitCode: \d+|generatedMessage: \w+,|name: '\w*Error')$/,
  /^\s*(?:failureType|code|operator|type): '\w+',?$/,
  /^\s*(?:error: (?:\|-|'(?:test failed|\d+ subtests? failed)')|stack: \|-|signal: ~|stack backtrace:)$/,
  /(?:\bnode:[\w/]+|\/node_modules\/\S+):\d+:\d+\)?(?: \{)?$/,
  /^\s*at (?:\w+\/\/?)?(?:org\.junit|org\.gradle|java|jdk)\./,
  /^\s+\d+: [\w<].*::|^\s+at \.?\/.*:\d+:\d+$/,
];

const esc = '\u001b';
const colours = new RegExp(`${esc}\\[[\\d;]*m`, 'g');

/** What `go test -v` tells of a test before it says that this has passed. */
const passedInGo = /^=== RUN.*\n(?:(?!=== |--- ).*\n)*--- PASS.*\n/gm;

/**
 * Of what a program has said, the first test that failed with why it did, from its report if there is one;
 * without one, the first line that looks like a failure with what follows it; else its last lines. At most
 * 500 characters.
 */
export function failingLines({
  stdout,
  stderr,
  tests,
}: Pick<VerifierOutput, 'stdout' | 'stderr' | 'tests'>): string {
  const [first] = tests?.failures ?? [];
  if (first !== undefined) return bounded(`${first.name}\n${first.message}`.trimEnd(), maxLength);
  const [said, complained] = [linesOf(stdout), linesOf(stderr)];
  const ways = [failedTest, from(reason), from([/fail/i])];
  const found = ways.map((way) => way(said) ?? way(complained)).find((lines) => lines !== undefined);
  const last = (complained.length > 0 ? complained : said).slice(-lastLines);
  return bounded((found ?? last).join('\n'), maxLength);
}

/** Its name, and why it failed as far as that is said before anything of another test. */
function failedTest(lines: readonly string[]): readonly string[] | undefined {
  let name: number | undefined;
  for (const [at, line] of lines.entries()) {
    if (isOf(passed, line)) name = undefined;
    else if (isOf(named, line)) name = at;
    else if (name !== undefined && isOf(reason, line) && !isOf(none, line))
      return [
        ...lines.slice(name, name + 1),
        ...lines.slice(name + 1, at).slice(-linesBetween),
        ...ofOne(lines, at),
      ];
  }
  return undefined;
}

function isOf(marks: readonly RegExp[], line: string): boolean {
  return marks.some((mark) => mark.test(line));
}

function from(marks: readonly RegExp[]) {
  return (lines: readonly string[]): readonly string[] | undefined => {
    const at = lines.findIndex((line) => isOf(marks, line) && !isOf(passed, line) && !isOf(none, line));
    return at < 0 ? undefined : ofOne(lines, at);
  };
}

/** A line with what follows it, up to another test. */
function ofOne(lines: readonly string[], at: number): readonly string[] {
  const next = lines.findIndex((line, index) => index > at && isOf([...named, ...passed], line));
  return lines.slice(at, next < 0 ? undefined : next).slice(0, 1 + linesAfter);
}

function linesOf(text: string): readonly string[] {
  const lines = text.replace(colours, '').replace(/\r\n/g, '\n').replace(passedInGo, '').split('\n');
  return lines.map((line) => line.slice(0, maxLine).trimEnd()).filter((line) => !isOf(noise, line));
}
