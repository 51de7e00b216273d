import type { ProofFacts } from '../gates/index.ts';
import { changedPaths } from '../git/changed-paths.ts';
import { commitsBetween } from '../git/log.ts';
import { treesOf } from '../git/objects.ts';
import { currentIteration } from '../steering/iterations/iterations.ts';
import type { CommitSummary, Failure } from '../steering/shapes/attempt-result.ts';
import { redactAll } from '../text/redact.ts';
import { judgedBy, judgedChanges } from './attempt/judged-changes.ts';
import type { VerifierResult } from './attempt/verifiers.ts';
import { missingSandbox, worktreeFailure } from './attempt/work.ts';
import { inWorkspace } from './attempt/workspace.ts';
import {
  type Artefact,
  type Assignment,
  type AttemptResources,
  attemptFolder,
  secondsSince,
  type VerifyOutcome,
} from './port/assignment.ts';
import { keyOf } from './proof/baseline.ts';
import { type Beyond, lookBeyond } from './proof/beyond.ts';
import { baseOf, comparedFor } from './proof/compared.ts';
import { factsOf, fewerTests } from './proof/facts.ts';
import { type VerifierRun, type Verifying, verifyIn, type Watching } from './proof/verifier-run.ts';
import { secondOpinion } from './review/review.ts';

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
