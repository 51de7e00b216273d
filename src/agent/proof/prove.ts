import { isDocument, testFiles, testsInSource } from '../../gates/weakened/index.ts';
import { type Differences, differingEntries } from '../../git/changed-paths.ts';
import { textOf } from '../../git/git-index.ts';
import { FilesInTheWay, mixedCommit } from '../../git/mixed-commit.ts';
import { bodiesBetween } from '../../git/text-diffs.ts';
import { WorktreeUnusable } from '../../git/untrusted-worktree.ts';
import { isFlaky } from '../../steering/confidence/verifier-results.ts';
import type { Trial } from '../../steering/shapes/agent-progress.ts';
import type { VerifierOutput } from '../../steering/shapes/attempt-result.ts';
import {
  isRed,
  type Proof,
  type ProofResult,
  type ProofRun,
  trialTime,
} from '../../steering/shapes/proof.ts';
import { shortened } from '../../text/characters.ts';
import { redact, redactAll } from '../../text/redact.ts';
import type { Compared } from '../attempt/commits.ts';
import type { VerifierResult } from '../attempt/verifier-runs.ts';
import { inWorkspace } from '../attempt/workspace.ts';
import { type Assignment, secondsSince } from '../port/assignment.ts';
import { type VerifierRun, type Verifying, verifyIn, type Watching } from './verify-in.ts';

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

/** Who waits for a run of the verifiers that decides nothing by itself. */
export interface TrialWatching extends Watching {
  /** Nobody needs the result any more, but the work goes on. */
  readonly enough?: AbortSignal;
  /** How long the verifiers have just taken on the change, in milliseconds. */
  readonly tookMs: number;
}

export const steered = skipped('somebody has steered meanwhile');

/**
 * Runs the verifiers on another commit as they were run on the change: in a workspace of its own, which is
 * gone afterwards, with the same set-up, network and sandbox. What they need is bounded by what they have
 * just taken. With `once`, nothing hangs on what is red, so that it is not run once more.
 */
export async function tryOut(
  { commit, trial, once }: { readonly commit: string; readonly trial: Trial; readonly once?: boolean },
  { assignment, resources }: Verifying,
  { signal, enough, tookMs, onProgress }: TrialWatching,
): Promise<ProofRun | 'cancelled'> {
  const timeMs = trialTime(assignment.state.settings, tookMs);
  if (timeMs === undefined) return skipped('the verifiers take too long to be run again');
  if (enough?.aborted) return steered;
  const began = performance.now();
  const late = AbortSignal.timeout(timeMs);
  const stop = AbortSignal.any([signal, late, ...(enough === undefined ? [] : [enough])]);
  // Those of the attempt stay until it ends, each with everything that its set-up has installed.
  const { workspaces: _, ...own } = resources;
  const watching = {
    signal: stop,
    ...(onProgress && { onProgress: (all: Parameters<typeof onProgress>[0]) => onProgress(all, trial) }),
  };
  const result = await inWorkspace({ ...assignment, commit }, own, (context) =>
    verifyIn(context, { assignment: once ? withoutReruns(assignment) : assignment, resources }, watching),
  ).catch(unusable);
  if (signal.aborted) return 'cancelled';
  if (result.kind === 'ran')
    return { outcome: 'ran', verifiers: result.results.map(resultOf), duration_s: secondsSince(began) };
  if (result.kind === 'cancelled') return enough?.aborted ? steered : skipped('it took too long');
  return skipped(shortened(redact(firstLine(result.failure.message), resources.secrets), maxReason));
}

function withoutReruns(assignment: Assignment): Assignment {
  const { state } = assignment;
  return { ...assignment, state: { ...state, settings: { ...state.settings, flaky: { reruns: 0 } } } };
}

const maxReason = 300;

export function skipped(why: string): Extract<ProofRun, { outcome: 'skipped' }> {
  return { outcome: 'skipped', why };
}

export function resultOf({ full }: VerifierResult): ProofResult {
  const { name, success, exit_code, timed_out } = full;
  const tests = testsRun(full);
  return {
    ...{ name, success, exit_code, timed_out },
    ...(tests !== undefined && { tests }),
    ...(isFlaky(full) && { flaky: true }),
  };
}

/** How many tests were not skipped; undefined if it is not known, or not of all. */
export function testsRun({ tests }: VerifierOutput): number | undefined {
  if (tests === undefined || (tests.from === 'junit' && tests.unread !== undefined)) return undefined;
  return tests.total - tests.skipped;
}

function unusable(fault: unknown): VerifierRun {
  if (!(fault instanceof WorktreeUnusable)) throw fault;
  return { kind: 'failed', failure: { kind: 'worktree', message: fault.message } };
}

/** What follows is what a command has printed. */
function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '');
}
