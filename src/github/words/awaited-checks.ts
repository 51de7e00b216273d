import type { VerifierOutput } from '../../steering/attempt-result.ts';
import { awaitedChecks } from '../../steering/ci/awaited-checks.ts';
import type { State } from '../../steering/state.ts';
import { plain } from './sanitize.ts';

/** The checks of CI that a run waits for, each in a line of plain text; none if it waits for none. */
export function awaitedLines(state: State): readonly string[] {
  return awaitedChecks(state).map(({ spec, until, seen }) => {
    const status = seen === undefined ? 'not there yet' : statusText(seen.status);
    const looks = state.run.presenter === 'action' ? looksAtSchedule : '';
    return `waits for ${spec.check} until ${until.slice(11, 16)} UTC (by ${spec.app}; ${status}${looks})`;
  });
}

/** No webhook tells the Action of a check that ends. */
const looksAtSchedule =
  '; looked at when the workflow of Coxswain runs for this pull request, and at its schedule';

/** How a verifier ended: its exit code, or what GitHub calls the end of a check of CI. */
export function endText({ exit_code, check }: Pick<VerifierOutput, 'exit_code' | 'check'>): string {
  return check === undefined ? `exit code ${exit_code}` : checkEnd(check);
}

/** The same in Markdown, with a link to the check. */
export function endLink({ exit_code, check }: VerifierOutput): string {
  if (check === undefined) return `exit code ${exit_code}`;
  const text = plain(checkEnd(check));
  return check.url === undefined ? text : `[${text}](${check.url})`;
}

function checkEnd({ name, status, conclusion }: NonNullable<VerifierOutput['check']>): string {
  return `${name}: ${statusText(conclusion ?? status)}`;
}

function statusText(word: string): string {
  return word.replaceAll('_', ' ');
}
