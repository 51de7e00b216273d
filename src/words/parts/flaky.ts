import { failsDifferently, flakyTests } from '../../steering/confidence/flaky.ts';
import type { VerifierOutput } from '../../steering/shapes/attempt-result.ts';
import type { AttemptRecord, FlakyVerifier, State } from '../../steering/state/state.ts';
import { counted, durationText } from '../../text/amounts.ts';
import { type Format, markdown, oneLine, said, under } from './sanitize.ts';

/** What several runs of a verifier on the same files have shown. */

const onSameFiles = 'on the same files';

/** `flaky: failed in 1 of 2 runs on the same files`; empty if it ran once. */
export function runsText(output: VerifierOutput): string {
  const { success, failed_runs = [] } = output;
  const failed = failed_runs.length;
  if (failed === 0) return '';
  if (success) return `flaky: failed in ${failed} of ${failed + 1} runs ${onSameFiles}`;
  return inEachText({ runs: failed + 1, differs: failsDifferently(output) });
}

/** The same of an attempt that has ended. */
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

/** In how many of the last runs of a repository each verifier was flaky. */
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
