import { testsChange } from '../../steering/phrases/sentences.ts';
import { changesBehaviour, type ProofResult, type ProofRun } from '../../steering/shapes/proof.ts';
import type { Evaluation } from '../../steering/state/state.ts';
import { counted } from '../../text/amounts.ts';
import { commit } from './phrases.ts';
import { markdown, type Part, said, under } from './sanitize.ts';

type Proven = Pick<Evaluation, 'proof' | 'baseline' | 'merged_with' | 'base_now' | 'verifiers' | 'remarks'>;

/** What running the tests against the base has shown; empty if that was neither done nor left out. */
export function proofText(shown: Proven): string {
  const { proof, baseline, merged_with, base_now, remarks = [] } = shown;
  const lines = said([
    merged_with && `The verifiers ran on the merge with the base at ${commit(merged_with)}`,
    base_now &&
      `The base has moved since: by ${counted(base_now.commits, 'commit')}, to ${commit(base_now.sha)}; the merge with it is verified before the run is finished`,
    baseline && `Before this change, at ${commit(baseline.base)}: ${baselineText(baseline.run)}`,
    proof && `Old tests, new code: ${oldTests(proof.old_tests, shown)}`,
    proof && `New tests without the change: ${withoutChange(proof.without_change, shown)}`,
    behaviourText(shown),
    ...remarks.map((remark) => `Look at: ${markdown.text(remark)}`),
  ]);
  return under(
    '**What the tests are worth**',
    lines.map((line) => `- ${line}`),
  );
}

/** The verifiers that fail on the base without the change; none if that is not known. */
export function redBefore({ baseline }: Pick<Evaluation, 'baseline'>): readonly string[] {
  return baseline?.run.outcome === 'ran' ? failing(baseline.run.verifiers).map(({ name }) => name) : [];
}

function baselineText(run: ProofRun): string {
  if (run.outcome === 'skipped') return notRun(run.why);
  const red = failing(run.verifiers);
  return red.length === 0 ? 'green' : `red: ${listed(red)}`;
}

function oldTests(run: ProofRun, shown: Proven): string {
  if (run.outcome === 'skipped') return notRun(run.why);
  const red = failing(run.verifiers);
  if (red.length === 0) return `green, as it should be: ${listed(run.verifiers)}`;
  const known = redBefore(shown);
  const isGreenNow = ({ name }: ProofResult) =>
    shown.verifiers.some((each) => each.name === name && each.success);
  const changed = red.filter(isGreenNow);
  if (changed.length === 0) return `red as with the new tests: ${listed(red)}`;
  if (changed.every(({ name }) => known.includes(name)))
    return `red as before this change: ${listed(changed)}`;
  return `red: ${listed(changed)}, so it passes only with the changed tests`;
}

function withoutChange(run: ProofRun, shown: Proven): string {
  if (run.outcome === 'skipped') return notRun(run.why);
  const red = failing(run.verifiers);
  const known = redBefore(shown);
  // What fails with the change, too, says nothing about it.
  const fails = (name: string) => shown.verifiers.some((each) => each.name === name && !each.success);
  const noticed = red.filter(({ name }) => !known.includes(name) && !fails(name));
  if (noticed.length > 0) return `red, as it should be: ${listed(noticed)}`;
  const isKnown = run.verifiers.every(({ flaky }) => !flaky);
  const none = `${isKnown ? '' : 'as far as that can be told, '}the tests do not notice that the change is missing`;
  const how = red.length === 0 ? 'green' : 'red only as before this change';
  return `${how}: ${listed(run.verifiers)}; ${none}`;
}

const maxFiles = 10;

/** Which of the tests are right, the ones before or those now, only people know. */
function behaviourText({ proof, verifiers }: Proven): Part {
  if (proof === undefined || !changesBehaviour(proof, verifiers)) return undefined;
  const files = proof.tests.slice(0, maxFiles).map((path) => markdown.name(path));
  const more = proof.tests.length > maxFiles ? ` and ${proof.tests.length - maxFiles} more` : '';
  return `Behavior ${testsChange}: see what is now expected in ${files.join(', ')}${more}`;
}

function notRun(why: string): string {
  return `not run: ${markdown.text(why)}`;
}

function failing(results: readonly ProofResult[]): readonly ProofResult[] {
  return results.filter(({ success }) => !success);
}

const maxResults = 20;

function listed(results: readonly ProofResult[]): string {
  const shown = results
    .slice(0, maxResults)
    .map((result) => `${markdown.name(result.name)} ${verdict(result)}`);
  return said([...shown, results.length > maxResults && `${results.length - maxResults} more`]).join(', ');
}

function verdict({ success, exit_code, timed_out, flaky }: ProofResult): string {
  if (flaky) return 'passes in some runs only';
  if (success) return 'passes';
  if (timed_out) return 'timed out';
  return exit_code === -1 ? 'could not start' : `fails (exit code ${exit_code})`;
}
