import { changedPaths } from '../git/changed-paths.ts';
import { commitsBetween } from '../git/log.ts';
import type { Mirror } from '../git/mirror.ts';
import type { CommitSummary, Failure, Observations } from '../steering/attempt-result.ts';
import { currentIteration } from '../steering/iterations.ts';
import type { VerifierProgress } from '../steering/progress.ts';
import type { State } from '../steering/state.ts';
import { redactAll } from '../text/redact.ts';
import {
  type Artefact,
  type Assignment,
  type AttemptResources,
  attemptFolder,
  secondsSince,
  type VerifyOutcome,
} from './assignment.ts';
import { observationsOf } from './findings.ts';
import { judgedChanges } from './judged-changes.ts';
import type { SandboxContext } from './sandboxed-run.ts';
import { setUp } from './setup.ts';
import { progressOf, runVerifiers, type VerifierResult } from './verifiers.ts';
import { missingSandbox, worktreeFailure } from './work.ts';
import { inWorkspace } from './workspace.ts';

/** Who waits for the verifiers. */
export interface Watching {
  readonly signal: AbortSignal;
  readonly onProgress?: (verifiers: readonly VerifierProgress[]) => void;
}

/** Runs the repository's verifiers on a commit, in a clean checkout that no agent has touched. */
export async function verify(
  assignment: Assignment,
  resources: AttemptResources,
  watching: Watching,
): Promise<VerifyOutcome> {
  const began = performance.now();
  const refusal = missingSandbox(assignment, resources);
  // Runs alongside the verifiers; a failure is reported after theirs.
  const changed = whatChanged(assignment, resources);
  changed.catch(() => undefined);
  const result: VerifierRun =
    refusal === null
      ? await inWorkspace(assignment, resources, (context) =>
          verifyIn(context, { assignment, resources }, watching),
        ).catch((fault: unknown) => ({ kind: 'failed', failure: worktreeFailure(fault) }))
      : { kind: 'failed', failure: refusal };
  if (result.kind === 'cancelled') return result;
  const duration_s = secondsSince(began);
  const { met = {} } = result;
  if (result.kind === 'failed') {
    const failure = redactAll(result.failure, resources.secrets);
    return { kind: 'failed', failure, kept: null, duration_s, artefacts: [], ...met };
  }
  const { changes, gates, commits, own_files } = await changed;
  return {
    kind: 'verified',
    head: assignment.commit,
    verifiers: result.results.map(({ excerpt }) => excerpt),
    changes,
    ...(commits !== undefined && { commits: redactAll(commits, resources.secrets) }),
    ...(own_files !== undefined && { own_files: redactAll(own_files, resources.secrets) }),
    gates: redactAll(gates, resources.secrets),
    duration_s,
    artefacts: artefactsOf(result.results, assignment),
    ...met,
  };
}

type VerifierRun =
  | { readonly kind: 'ran'; readonly results: readonly VerifierResult[]; readonly met: Observations }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly met?: Observations }
  | { readonly kind: 'cancelled' };

async function verifyIn(
  context: SandboxContext,
  { assignment, resources }: { assignment: Assignment; resources: AttemptResources },
  { signal, onProgress = () => undefined }: Watching,
): Promise<VerifierRun> {
  const { run, settings } = assignment.state;
  onProgress(progressOf(settings.verifiers, []));
  const ready = await setUp(context, settings.setup, { timeoutMs: settings.limits.minutes * 60_000, signal });
  const met = () => observationsOf(context.network, settings, resources.secrets);
  if (ready.kind === 'cancelled') return ready;
  if (ready.kind === 'failed') return { ...ready, met: met() };
  const { verifiers } = settings;
  const verification = { repository: run.repo, verifiers, secrets: resources.secrets, onProgress };
  const results = await runVerifiers(context, verification, signal);
  return results === undefined ? { kind: 'cancelled' } : { kind: 'ran', results, met: met() };
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
async function changesSinceBase({ state, commit }: Assignment, { mirror }: AttemptResources) {
  return judgedChanges(mirror, { base: await baseOf(state, mirror), head: commit });
}

async function baseOf({ run }: State, mirror: Mirror): Promise<string> {
  const base = await mirror.resolve(`refs/heads/${run.base}`);
  if (base === undefined) throw new Error(`could not find the base branch ${run.base} in ${mirror.dir}`);
  return base;
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
