import type { FailedRun, Found, VerifierOutput } from '../shapes/attempt-result.ts';
import type { FlakyVerifier, State } from '../state/state.ts';
import { failingLines } from './failing-lines.ts';

/** Verifiers whose results differ on one and the same tree: what they say then is not the change's doing. */

type Run = Pick<VerifierOutput, 'success' | 'failed_runs'>;

/** Whether it has passed and failed on the same tree. */
export function isFlaky({ success, failed_runs = [] }: Run): boolean {
  return success && failed_runs.length > 0;
}

/** The names of those that have. */
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

/** What is recorded of it with an attempt. */
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
  { flaky: known = [], shown }: Pick<State, 'flaky' | 'shown'>,
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

/** With more runs that failed on the same tree. */
export function withFailedRuns(output: VerifierOutput, runs: readonly FailedRun[]): VerifierOutput {
  if (runs.length === 0) return output;
  return { ...output, failed_runs: [...(output.failed_runs ?? []), ...runs].slice(-maxRuns) };
}

const maxNames = 20;

/** Undefined unless all of them are known. */
function namesIn({ tests }: Pick<VerifierOutput, 'tests'>): readonly string[] | undefined {
  if (tests === undefined || tests.failed === 0 || tests.failed > maxNames) return undefined;
  return tests.failures.length < tests.failed ? undefined : tests.failures.map(({ name }) => name);
}
