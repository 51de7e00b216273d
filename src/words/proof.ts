import { changesBehaviour, type ProofResult, type ProofRun } from '../steering/confidence/proof.ts';
import { shortSha } from '../steering/phrases/short-sha.ts';
import type { Evaluation } from '../steering/state.ts';
import { counted } from '../text/amounts.ts';
import { type Format, markdown, said, under } from './sanitize.ts';

/** One run of verifiers beside those that decide: what was run, and what came of it. */
export interface ProofLine {
  readonly what: string;
  readonly outcome: string;
  /** Whether that speaks for the change, against it, or neither. */
  readonly speaks: 'for' | 'against' | 'neither';
}

type Proven = Pick<Evaluation, 'proof' | 'baseline' | 'merged_with' | 'base_now' | 'verifiers' | 'remarks'>;

/** What running the tests against the base has shown; empty if that was neither done nor left out. */
export function proofText(shown: Proven): string {
  const lines = proofLines(shown, markdown).map(({ what, outcome }) => `- ${what}: ${outcome}`);
  return under('**What the tests are worth**', lines);
}

/** The same line by line. */
export function proofLines(shown: Proven, format: Format): readonly ProofLine[] {
  const { proof, baseline, merged_with, base_now, remarks } = shown;
  return [
    ...(merged_with === undefined ? [] : [mergedLine(merged_with, format)]),
    ...(base_now === undefined ? [] : [movedLine(base_now, format)]),
    ...(baseline === undefined ? [] : [baselineLine(baseline.base, baseline.run, format)]),
    ...(proof === undefined ? [] : [oldTests(proof.old_tests, shown, format)]),
    ...(proof === undefined ? [] : [withoutChange(proof.without_change, shown, format)]),
    ...behaviourLine(shown, format),
    ...(remarks ?? []).map((each) => remarkLine(each, format)),
  ];
}

/** The verifiers that fail on the base without the change; none if that is not known. */
export function redBefore({ baseline }: Pick<Evaluation, 'baseline'>): readonly string[] {
  return baseline?.run.outcome === 'ran' ? failing(baseline.run.verifiers).map(({ name }) => name) : [];
}

function mergedLine(base: string, { name }: Format): ProofLine {
  return {
    what: 'The verifiers saw',
    outcome: `the merge with the base at ${name(shortSha(base))}`,
    speaks: 'neither',
  };
}

function movedLine({ sha, commits }: NonNullable<Proven['base_now']>, { name }: Format): ProofLine {
  return {
    what: 'The base has moved since',
    outcome: `by ${counted(commits, 'commit')}, to ${name(shortSha(sha))}; the merge with it is verified before a finish`,
    speaks: 'neither',
  };
}

function baselineLine(base: string, run: ProofRun, format: Format): ProofLine {
  const what = `Before this change, at ${format.name(shortSha(base))}`;
  if (run.outcome === 'skipped') return skipped(what, run.why, format);
  const red = failing(run.verifiers);
  return { what, outcome: red.length === 0 ? 'green' : `red: ${listed(red, format)}`, speaks: 'neither' };
}

function oldTests(run: ProofRun, shown: Proven, format: Format): ProofLine {
  const what = 'Old tests, new code';
  if (run.outcome === 'skipped') return skipped(what, run.why, format);
  const red = failing(run.verifiers);
  if (red.length === 0)
    return { what, outcome: `green (good): ${listed(run.verifiers, format)}`, speaks: 'for' };
  const known = redBefore(shown);
  const isGreenNow = ({ name }: ProofResult) =>
    shown.verifiers.some((each) => each.name === name && each.success);
  const changed = red.filter(isGreenNow);
  if (changed.length > 0 && changed.every(({ name }) => known.includes(name)))
    return { what, outcome: `red as before this change: ${listed(changed, format)}`, speaks: 'neither' };
  return changed.length === 0
    ? { what, outcome: `red as with the new tests: ${listed(red, format)}`, speaks: 'neither' }
    : {
        what,
        outcome: `red: ${listed(changed, format)}, so it passes only with the tests as they are changed`,
        speaks: 'against',
      };
}

function withoutChange(run: ProofRun, shown: Proven, format: Format): ProofLine {
  const what = 'New tests without the change';
  if (run.outcome === 'skipped') return skipped(what, run.why, format);
  const red = failing(run.verifiers);
  const known = redBefore(shown);
  // What fails with the change, too, says nothing about it.
  const fails = (name: string) => shown.verifiers.some((each) => each.name === name && !each.success);
  const noticed = red.filter(({ name }) => !known.includes(name) && !fails(name));
  if (noticed.length > 0) return { what, outcome: `red (good): ${listed(noticed, format)}`, speaks: 'for' };
  const none = 'the tests do not notice that the change is missing';
  const how = red.length === 0 ? 'green' : 'red only as before this change';
  return { what, outcome: `${how}: ${listed(run.verifiers, format)}; ${none}`, speaks: 'against' };
}

const maxFiles = 10;

/** Which of the tests are right, the ones before or those now, only people know. */
function behaviourLine({ proof, verifiers }: Proven, { name }: Format): readonly ProofLine[] {
  if (proof === undefined || !changesBehaviour(proof, verifiers)) return [];
  const files = proof.tests.slice(0, maxFiles).map((path) => name(path));
  const more = proof.tests.length > maxFiles ? ` and ${proof.tests.length - maxFiles} more` : '';
  const outcome = `see what is expected now in ${files.join(', ')}${more}`;
  return [{ what: 'Behaviour changes, and its tests with it', outcome, speaks: 'neither' }];
}

function remarkLine(remark: string, { text }: Format): ProofLine {
  return { what: 'Look at', outcome: text(remark), speaks: 'neither' };
}

function skipped(what: string, why: string, { text }: Format): ProofLine {
  return { what, outcome: `not run: ${text(why)}`, speaks: 'neither' };
}

function failing(results: readonly ProofResult[]): readonly ProofResult[] {
  return results.filter(({ success }) => !success);
}

const maxResults = 20;

function listed(results: readonly ProofResult[], { name }: Format): string {
  const shown = results.slice(0, maxResults).map((result) => `${name(result.name)} ${verdict(result)}`);
  return said([...shown, results.length > maxResults && `${results.length - maxResults} more`]).join(', ');
}

function verdict({ success, exit_code, timed_out }: ProofResult): string {
  if (success) return 'passes';
  if (timed_out) return 'timed out';
  return exit_code === -1 ? 'could not start' : `fails (exit code ${exit_code})`;
}
