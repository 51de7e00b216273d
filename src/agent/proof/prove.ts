import { isDocument, testFiles, testsInSource } from '../../gates/weakened/index.ts';
import { type Differences, differingEntries } from '../../git/changed-paths.ts';
import { textOf } from '../../git/index-entries.ts';
import { FilesInTheWay, mixedCommit } from '../../git/mixed-commit.ts';
import { bodiesBetween } from '../../git/text-diffs.ts';
import type { Trial } from '../../steering/shapes/progress.ts';
import { isRed, type Proof, type ProofRun } from '../../steering/shapes/proof.ts';
import { redact, redactAll } from '../../text/redact.ts';
import type { Compared } from './compared.ts';
import { skipped, type TrialWatching, tryOut } from './trial.ts';
import type { Verifying } from './verifier-run.ts';

const maxTests = 100;

/**
 * Runs the verifiers with the test files as they were before the change, and on the code before the change
 * with the new ones. Only for a change on which they pass: else there is nothing to prove.
 */
export async function prove(
  compared: Compared,
  verifying: Verifying,
  watching: TrialWatching,
): Promise<Proof | 'cancelled'> {
  const { assignment, resources } = verifying;
  const differing = await differingEntries(resources.mirror.dir, compared.base, compared.subject);
  const tests = testsAmong(differing, assignment.state.settings.tests);
  const listed = redactAll([...tests.keys()].map(textOf).sort().slice(0, maxTests), resources.secrets);
  const why =
    (await insideSource(compared, verifying)) ??
    reasonToSkip(differing, { tests, globs: assignment.state.settings.tests });
  if (why !== undefined) return { tests: listed, old_tests: skipped(why), without_change: skipped(why) };
  const run = (trial: Mixture) => runMixture(trial, verifying, watching);
  const { base, subject } = compared;
  const old_tests = await run({ trial: 'old_tests', of: subject, side: 'before', tests });
  if (old_tests === 'cancelled') return old_tests;
  // Red is as it should be there, and weighs against nothing but old tests that are red as well.
  const once = !isRed(old_tests);
  const without_change = await run({ trial: 'without_change', of: base, side: 'after', tests, once });
  if (without_change === 'cancelled') return without_change;
  return { tests: listed, old_tests, without_change };
}

function testsAmong(differing: Differences, globs: readonly string[] | undefined): Differences {
  const names = new Map([...differing.keys()].map((path) => [path, textOf(path)]));
  const found = new Set(testFiles([...names.values()], globs));
  return new Map([...differing].filter(([path]) => found.has(names.get(path) ?? path)));
}

/** Tests inside the files of the code cannot be put back without the code. */
async function insideSource(
  { base, subject }: Compared,
  { assignment, resources }: Verifying,
): Promise<string | undefined> {
  const files = await bodiesBetween(resources.mirror.dir, `${base}...${subject}`, () => false);
  const [first] = testsInSource(files, assignment.state.settings.tests);
  if (first === undefined) return undefined;
  const path = redact(first, resources.secrets);
  return `tests and code are in the same files, such as ${path}`;
}

/** What people read changes nothing that tests could notice, as a rule. */
function reasonToSkip(
  differing: Differences,
  { tests, globs }: { readonly tests: Differences; readonly globs: readonly string[] | undefined },
): string | undefined {
  if (tests.size === 0) return 'no test file was changed';
  if (tests.size === differing.size) return 'only test files were changed';
  const others = [...differing.keys()].filter((path) => !tests.has(path));
  return others.every((path) => isDocument(textOf(path), globs))
    ? 'only test files and documents were changed'
    : undefined;
}

/** A commit with the test files of another one. */
interface Mixture {
  readonly trial: Trial;
  readonly of: string;
  readonly side: 'before' | 'after';
  readonly tests: Differences;
  readonly once?: boolean;
}

async function runMixture(
  { trial, of, side, tests, once = false }: Mixture,
  verifying: Verifying,
  watching: TrialWatching,
): Promise<ProofRun | 'cancelled'> {
  const replaced = new Map([...tests].map(([path, difference]) => [path, difference[side]]));
  try {
    const commit = await mixedCommit(verifying.resources.mirror, of, replaced);
    return await tryOut({ commit, trial, once }, verifying, watching);
  } catch (fault) {
    if (!(fault instanceof FilesInTheWay)) throw fault;
    return skipped('other files are where these tests would have to be');
  }
}
