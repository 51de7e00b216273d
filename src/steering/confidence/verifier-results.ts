import { bounded } from '../phrases/phrases.ts';
import type { FailedRun, Found, VerifierOutput } from '../shapes/attempt-result.ts';
import type { AttemptRecord, FlakyVerifier, State } from '../state/state.ts';

type Run = Pick<VerifierOutput, 'success' | 'failed_runs'>;

/** Whether it has passed and failed on the same tree: what it says then is not the change's doing. */
export function isFlaky({ success, failed_runs = [] }: Run): boolean {
  return success && failed_runs.length > 0;
}

/** The names of the verifiers that are flaky. */
export function flakyIn(verifiers: readonly (Run & Pick<VerifierOutput, 'name'>)[]): readonly string[] {
  return verifiers.filter(isFlaky).map(({ name }) => name);
}

/** The tests that have failed in one run on the same tree and not in another, as far as all are known. */
export function flakyTests(output: Run & Pick<VerifierOutput, 'tests'>): readonly string[] {
  const { success, failed_runs = [] } = output;
  const runs = failed_runs.map(({ tests }) => tests);
  if (success) return [...new Set(runs.flatMap((tests) => tests ?? []))];
  const all = [...runs, namesIn(output)];
  const known = all.filter((tests) => tests !== undefined);
  if (failed_runs.length === 0 || known.length < all.length) return [];
  return [...new Set(known.flat())].filter((name) => known.some((tests) => !tests.includes(name)));
}

/** Whether it has failed in every run on the same tree, and not always in the same way. */
export function failsDifferently(output: VerifierOutput): boolean {
  const { success, failed_runs = [], exit_code, tests } = output;
  if (success || failed_runs.length === 0) return false;
  const isOther = (run: FailedRun) =>
    run.exit_code !== exit_code ||
    (run.failed !== undefined && tests !== undefined && run.failed !== tests.failed);
  return flakyTests(output).length > 0 || failed_runs.some(isOther);
}

const maxTests = 5;

/** What is recorded of a verifier's reruns with an attempt. */
export function flakinessOf(output: VerifierOutput): {
  readonly runs?: number;
  readonly flaky?: readonly string[];
} {
  const { failed_runs = [] } = output;
  const differs = isFlaky(output) || failsDifferently(output);
  return {
    ...(failed_runs.length > 0 && { runs: failed_runs.length + 1 }),
    ...(differs && { flaky: flakyTests(output).slice(0, maxTests) }),
  };
}

/** A run that failed, as it is kept beside the one that counts. */
export function failedRun(output: VerifierOutput): FailedRun {
  const { exit_code, duration_s, tests } = output;
  const names = namesIn(output);
  return {
    ...{ exit_code, duration_s, said: failingLines(output) },
    ...(tests !== undefined && { failed: tests.failed }),
    ...(names !== undefined && { tests: names }),
  };
}

type Before = Pick<State, 'shown' | 'attempts'>;

/**
 * What was found, with the runs that failed when the same was verified before: one that was red and is green
 * now, with nothing changed, is flaky. Whoever wrote the checks of CI runs them again, and is left alone.
 */
export function withFormerRuns(before: Before, { subject, verifiers }: Found): readonly VerifierOutput[] {
  if (subject === undefined) return verifiers;
  return verifiers.map((output) =>
    output.success && output.check === undefined
      ? withFailedRuns(output, formerRuns(before, subject, output.name))
      : output,
  );
}

function formerRuns({ shown, attempts }: Before, subject: string, name: string): readonly FailedRun[] {
  const seen = shown?.subject === subject ? shown.verifiers.find((each) => each.name === name) : undefined;
  if (seen !== undefined) {
    const { failed_runs = [] } = seen;
    return seen.success || seen.exit_code === -1 ? failed_runs : [...failed_runs, failedRun(seen)];
  }
  return attempts
    .filter((each) => each.subject === subject)
    .flatMap((each) => each.verifiers.filter((one) => one.name === name && !one.success))
    .filter(({ exit_code }) => exit_code !== -1)
    .map(({ exit_code, said = '' }) => ({ exit_code, said }));
}

const maxFlaky = 20;

/** The verifiers of this run that are flaky, with those found to be so now; the most often ones are kept. */
export function withFlaky(
  { flaky: known = [], shown }: State,
  { subject, verifiers }: Pick<Found, 'subject' | 'verifiers'>,
): Pick<State, 'flaky'> {
  const told = shown?.subject !== undefined && shown.subject === subject ? flakyIn(shown.verifiers) : [];
  const found = verifiers.flatMap((output) => {
    const { flaky: tests } = flakinessOf(output);
    return tests === undefined || told.includes(output.name) ? [] : [{ name: output.name, tests }];
  });
  if (found.length === 0) return {};
  const added = found.map(({ name, tests }): FlakyVerifier => {
    const before = known.find((each) => each.name === name);
    const all = [...new Set([...tests, ...(before?.tests ?? [])])].slice(0, maxTests);
    return { name, times: (before?.times ?? 0) + 1, tests: all };
  });
  const others = known.filter((each) => !added.some(({ name }) => name === each.name));
  return {
    flaky: [...added, ...others].toSorted((one, other) => other.times - one.times).slice(0, maxFlaky),
  };
}

const maxRuns = 4;

/** The result with more runs that failed on the same tree. */
export function withFailedRuns(output: VerifierOutput, runs: readonly FailedRun[]): VerifierOutput {
  if (runs.length === 0) return output;
  return { ...output, failed_runs: [...(output.failed_runs ?? []), ...runs].slice(-maxRuns) };
}

const maxNames = 20;

/** The names of the tests that failed; undefined unless all of them are known. */
function namesIn({ tests }: Pick<VerifierOutput, 'tests'>): readonly string[] | undefined {
  if (tests === undefined || tests.failed === 0 || tests.failed > maxNames) return undefined;
  return tests.failures.length < tests.failed ? undefined : tests.failures.map(({ name }) => name);
}

/** Two attempts that came to the same, and failed in the same way. */
interface Circle {
  readonly first: AttemptRecord;
  readonly again: AttemptRecord;
}

/**
 * The newest attempt with one before it that came to the same and in which the same verifiers were red, since
 * people last said something: another attempt would begin where that one has led already. Undefined unless
 * that is so.
 */
export function circleIn({ attempts, attempt, attempts_used }: State): Circle | undefined {
  const since = attempts.filter((each) => each.attempt > attempt - attempts_used);
  const again = since.at(-1);
  if (again?.outcome !== 'red' || again.subject === undefined) return undefined;
  const first = since
    .slice(0, -1)
    .find(
      ({ outcome, subject, ...each }) =>
        outcome === 'red' && subject === again.subject && failingIn(each) === failingIn(again),
    );
  return first && { first, again };
}

/** Why people are asked; `failing` are the verifiers. */
export function circleReason({ first, again }: Circle, failing: readonly string[]): string {
  return (
    `attempt ${again.attempt} came to the same files as attempt ${first.attempt}, ` +
    `and ${failing.join(', ')} failed on them again`
  );
}

function failingIn({ verifiers }: Pick<AttemptRecord, 'verifiers'>): string {
  const failing = verifiers.filter(({ success, required = true }) => required && !success);
  return JSON.stringify(failing.map(({ name }) => name));
}

const maxLength = 500;
/** More of a line than can be shown is not looked at. */
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

/** What counts failures may have counted none, as `0 errors` does. */
const none = [/\b(?:0|no) (?:\w+ )?(?:error|fail)|\b(?:errors?|fail(?:ed|ures?|s)?)\W+0\b/i];

/** These lines help nobody: rulers, what TAP tells beside the failure, and calls within runners. */
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
