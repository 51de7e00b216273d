import type { ProofFacts } from '../gates/index.ts';
import { changedPaths } from '../git/changed-paths.ts';
import { commitsBetween } from '../git/git-log.ts';
import { treesOf } from '../git/objects.ts';
import { failedRequired } from '../steering/confidence/evaluation.ts';
import { isFlaky } from '../steering/confidence/verifier-results.ts';
import { currentIteration } from '../steering/iterations/iteration.ts';
import type { CommitSummary, Failure } from '../steering/shapes/attempt-result.ts';
import {
  type Baseline,
  isRed,
  leavesTimeForBaseline,
  type Proof,
  type ProofRun,
} from '../steering/shapes/proof.ts';
import { redactAll } from '../text/redact.ts';
import { missingSandbox, worktreeFailure } from './attempt/agent-work.ts';
import { baseOf, type Compared, comparedFor } from './attempt/commits.ts';
import { judgedBy, judgedChanges } from './attempt/judged-changes.ts';
import type { VerifierResult } from './attempt/verifier-runs.ts';
import { inWorkspace } from './attempt/workspace.ts';
import {
  type Artefact,
  type Assignment,
  type AttemptResources,
  attemptFolder,
  secondsSince,
  type VerifyOutcome,
} from './port/assignment.ts';
import { baselineOf, keyOf } from './proof/baseline.ts';
import { prove, type TrialWatching, testsRun } from './proof/prove.ts';
import { type VerifierRun, type Verifying, verifyIn, type Watching } from './proof/verify-in.ts';
import { secondOpinion } from './review/second-opinion.ts';

/** Who waits for the verifiers, and for what is found out beyond them. */
export interface Verification extends Watching {
  /** Nobody needs more than the verifiers' results any more. */
  readonly enough?: AbortSignal;
}

/**
 * Runs the repository's verifiers on a commit, or on its merge with the base, in a clean checkout that no
 * agent has touched. Then, what the settings want to be known besides.
 */
export async function verify(
  assignment: Assignment,
  resources: AttemptResources,
  watching: Verification,
): Promise<VerifyOutcome> {
  const began = performance.now();
  // Runs alongside the verifiers; a failure is reported after theirs.
  const changed = whatChanged(assignment, resources);
  changed.catch(() => undefined);
  const result = await verifyAndLookBeyond({ assignment, resources }, watching);
  if (result.kind === 'cancelled') return result;
  const duration_s = secondsSince(began);
  const { met = {} } = result;
  const notVerified = (failure: Failure): VerifyOutcome => ({
    ...{ kind: 'failed', failure: redactAll(failure, resources.secrets), left: null },
    ...{ duration_s, artefacts: [], ...met },
  });
  if (result.kind === 'failed') return notVerified(result.failure);
  const known = await changed.catch((fault: unknown) => ({ failure: worktreeFailure(fault) }));
  if ('failure' in known) return notVerified(known.failure);
  const { changes, commits, own_files, ...before } = known;
  const proof = factsOf(result.beyond, result.results);
  // Only now it is known what the tests are worth.
  const judged = proof === undefined ? before : await changesSinceBase(assignment, resources, proof);
  const wanting = {
    ...watching,
    results: result.results,
    onAsked: () => tellAsked(result.results, watching),
  };
  const opinion = await secondOpinion({ assignment, resources }, wanting);
  if (opinion === 'cancelled') return { kind: 'cancelled' };
  const { gates } = judged;
  const remarks = [...judged.remarks, ...fewerTests(result.beyond, result.results)];
  return {
    kind: 'verified',
    head: assignment.commit,
    verifiers: result.results.map(({ excerpt }) => excerpt),
    changes,
    ...(commits !== undefined && { commits: redactAll(commits, resources.secrets) }),
    ...(own_files !== undefined && { own_files: redactAll(own_files, resources.secrets) }),
    gates: redactAll(gates, resources.secrets),
    subject: result.subject,
    ...(remarks.length > 0 && { remarks: redactAll(remarks, resources.secrets) }),
    ...result.beyond,
    ...(result.merged_with !== undefined && { merged_with: result.merged_with }),
    ...(opinion !== undefined && { review: opinion.review }),
    duration_s: secondsSince(began),
    artefacts: [...artefactsOf(result.results, assignment), ...(opinion?.artefacts ?? [])],
    ...met,
  };
}

function tellAsked(results: readonly VerifierResult[], { onProgress }: Watching): void {
  const ended = results.map(({ excerpt: { name, required, success, duration_s } }) => ({
    name,
    required,
    result: { success, duration_s },
  }));
  onProgress?.(ended, 'review');
}

type Looked =
  | (Extract<VerifierRun, { kind: 'ran' }> & {
      readonly beyond: Beyond;
      readonly subject: string;
      readonly merged_with?: string;
    })
  | Exclude<VerifierRun, { kind: 'ran' }>;

async function verifyAndLookBeyond(verifying: Verifying, watching: Verification): Promise<Looked> {
  const { assignment, resources } = verifying;
  const compared = await comparedFor(assignment, resources.mirror);
  if ('failure' in compared) return { kind: 'failed', failure: compared.failure };
  const { subject, merged_with } = compared;
  const began = performance.now();
  const run = await verifyCommit({ ...assignment, commit: subject }, resources, watching);
  if (run.kind !== 'ran') return run;
  const tookMs = performance.now() - began;
  const beyond = await lookBeyond(compared, verifying, { ...watching, results: run.results, tookMs });
  if (beyond === 'cancelled') return { kind: 'cancelled' };
  const { mirror } = resources;
  const [tree = subject] = await mirror.reading(() => treesOf(mirror.dir, [subject]));
  const key = keyOf(tree, verifying);
  return { ...run, beyond, subject: key, ...(merged_with !== undefined && { merged_with }) };
}

/** The verifiers alone, on a commit as it is. */
export async function verifyCommit(
  assignment: Assignment,
  resources: AttemptResources,
  watching: Watching,
): Promise<VerifierRun> {
  const refusal = missingSandbox(assignment, resources);
  if (refusal !== null) return { kind: 'failed', failure: refusal };
  return inWorkspace(assignment, resources, (context) =>
    verifyIn(context, { assignment, resources }, watching),
  ).catch((fault: unknown): VerifierRun => ({ kind: 'failed', failure: worktreeFailure(fault) }));
}

async function whatChanged(assignment: Assignment, resources: AttemptResources) {
  const [judged, commits, own_files] = await Promise.all([
    changesSinceBase(assignment, resources),
    commitsOfIteration(assignment, resources),
    filesOfIteration(assignment, resources),
  ]);
  return { ...judged, commits, own_files };
}

const maxListed = 10;

/** Undefined when the commit that the iteration began with is not in the mirror, after a force-push. */
async function commitsOfIteration(
  { state, commit }: Assignment,
  { mirror }: AttemptResources,
): Promise<CommitSummary | undefined> {
  const from = await mirror.resolve(currentIteration(state).head_before);
  if (from === undefined) return undefined;
  const commits = await commitsBetween(mirror.dir, { from, to: commit });
  return { count: commits.length, newest: commits.slice(0, maxListed) };
}

const maxPaths = 3_000;

/** Undefined as the commits are. */
async function filesOfIteration(
  { state, commit }: Assignment,
  { mirror }: AttemptResources,
): Promise<readonly string[] | undefined> {
  const from = await mirror.resolve(currentIteration(state).head_before);
  if (from === undefined) return undefined;
  const base = await baseOf(state, mirror);
  return (await changedPaths(mirror.dir, { from, to: commit, base })).slice(0, maxPaths);
}

/** What a merge would bring: everything since the branch left its base. */
async function changesSinceBase(
  { state, commit }: Assignment,
  { mirror }: AttemptResources,
  proof?: ProofFacts,
) {
  return judgedChanges(mirror, {
    ...{ base: await baseOf(state, mirror), head: commit },
    ...judgedBy(state.settings),
    ...(proof !== undefined && { proof }),
  });
}

function artefactsOf(results: readonly VerifierResult[], { hold }: Assignment): readonly Artefact[] {
  const folder = `${attemptFolder(hold)}/verifiers`;
  return results.map(({ full }, index) => ({
    path: `${folder}/${fileNameOf(full.name, results.slice(0, index))}.json`,
    content: `${JSON.stringify(full, null, 2)}\n`,
  }));
}

/** A verifier's name as a file name; a duplicate gets a number. */
function fileNameOf(name: string, before: readonly VerifierResult[]): string {
  const plain = (text: string): string => text.replace(/[^A-Za-z0-9_-]+/g, '-');
  const taken = before.filter(({ full }) => plain(full.name).toLowerCase() === plain(name).toLowerCase());
  return taken.length === 0 ? plain(name) : `${plain(name)}.${taken.length + 1}`;
}

/** What is found out about a change once its verifiers have ended. */
interface Beyond {
  readonly proof?: Proof;
  readonly baseline?: Baseline;
}

/**
 * A change on which a required verifier fails is compared with the base, which is as red perhaps; nobody
 * waits for a proof of it. One that passes is proven, where the settings say so, and compared with the base
 * only where its tests look as if they had been made to fit.
 */
async function lookBeyond(
  compared: Compared,
  verifying: Verifying,
  watching: TrialWatching & { readonly results: readonly VerifierResult[] },
): Promise<Beyond | 'cancelled'> {
  const { results, tookMs } = watching;
  const { settings } = verifying.assignment.state;
  if (results.length === 0) return {};
  if (failedRequired(results.map(({ full }) => full)).length > 0) {
    const baseline = await baselineOf(compared, verifying, watching);
    return baseline === 'cancelled' ? baseline : { baseline };
  }
  if (settings.proof !== 'on') return {};
  const began = performance.now();
  const proof = await prove(compared, verifying, watching);
  if (proof === 'cancelled') return proof;
  if (!suspectsTests(proof) || !leavesTimeForBaseline(settings, tookMs, performance.now() - began))
    return { proof };
  const baseline = await baselineOf(compared, verifying, watching);
  return baseline === 'cancelled' ? baseline : { proof, baseline };
}

/** Whether the tests look as if made to fit; if the old ones were red without the change, they were not. */
function suspectsTests({ old_tests, without_change }: Proof): boolean {
  return isRed(old_tests) && without_change.outcome === 'ran' && !isRed(without_change);
}

/**
 * What a proof says about the tests of a change; undefined if nothing was run. A verifier that fails on the
 * change itself says nothing about its tests, nor does one that passes now and then.
 */
function factsOf({ proof, baseline }: Beyond, results: readonly VerifierResult[]): ProofFacts | undefined {
  if (proof === undefined) return undefined;
  const counting = results.filter(({ full }) => full.success && !isFlaky(full)).map(({ full }) => full.name);
  const oldTestsOnNewCode = verdictOf(proof.old_tests, counting);
  const newTestsOnOldCode = verdictOf(proof.without_change, counting);
  if (oldTestsOnNewCode === undefined && newTestsOnOldCode === undefined) return undefined;
  const oldTestsOnOldCode = baseline && wasRed(proof.old_tests, baseline.run) ? 'red' : undefined;
  return {
    ...(oldTestsOnOldCode !== undefined && { oldTestsOnOldCode }),
    ...(oldTestsOnNewCode !== undefined && { oldTestsOnNewCode }),
    ...(newTestsOnOldCode !== undefined && { newTestsOnOldCode }),
  };
}

/** Verifiers that run fewer tests of the change than of the base, where both say how many. */
function fewerTests({ proof }: Beyond, results: readonly VerifierResult[]): readonly string[] {
  const before = proof?.old_tests.outcome === 'ran' ? proof.old_tests.verifiers : [];
  return results.flatMap(({ full }) => {
    const { name } = full;
    const now = testsRun(full);
    const was = before.find((each) => each.name === name)?.tests;
    if (now === undefined || was === undefined || now >= was) return [];
    return [`${name} ran ${now} tests, and ${was} with the test files of the base`];
  });
}

function verdictOf(run: ProofRun, counting: readonly string[]): 'green' | 'red' | undefined {
  if (run.outcome === 'skipped') return undefined;
  const counted = run.verifiers.filter(({ name, flaky }) => counting.includes(name) && !flaky);
  if (counted.length === 0) return undefined;
  return counted.every(({ success }) => success) ? 'green' : 'red';
}

/** Whether everything that is red was so before the change. */
function wasRed(run: ProofRun, before: ProofRun): boolean {
  const known = redIn(before);
  return redIn(run).every((name) => known.includes(name));
}

function redIn(run: ProofRun): readonly string[] {
  return run.outcome === 'ran' ? run.verifiers.filter(({ success }) => !success).map(({ name }) => name) : [];
}
