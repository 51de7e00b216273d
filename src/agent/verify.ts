import { gatesOnDiff } from '../gates/index.ts';
import { changesBetween } from '../git/diff.ts';
import { commitsBetween } from '../git/log.ts';
import type { CommitSummary, Failure } from '../steering/evidence.ts';
import { currentIteration } from '../steering/iterations.ts';
import {
  type Artefact,
  type Assignment,
  attemptFolder,
  secondsSince,
  type Tools,
  type VerifyOutcome,
} from './assignment.ts';
import { redactAll } from './redact.ts';
import type { Room } from './sandboxed-run.ts';
import { setUp } from './setup.ts';
import { runVerifiers, type Said } from './verifiers.ts';
import { withoutSandbox } from './work.ts';
import { inWorkspace } from './workspace.ts';

/** Lets the repository's verifiers judge a commit, in a clean checkout of it that no agent has touched. */
export async function verify(
  assignment: Assignment,
  tools: Tools,
  signal: AbortSignal,
): Promise<VerifyOutcome> {
  const began = performance.now();
  const refusal = withoutSandbox(assignment, tools);
  // Asked meanwhile: it takes nothing of the verifiers'. What it says, be it a fault, is heard after theirs.
  const changed = whatChanged(assignment, tools);
  changed.catch(() => undefined);
  const judged: Judged =
    refusal === null
      ? await inWorkspace(assignment, tools, (room) => judge(room, { assignment, tools }, signal))
      : { kind: 'failed', failure: refusal };
  if (judged.kind === 'cancelled') return judged;
  const duration_s = secondsSince(began);
  if (judged.kind === 'failed') {
    const failure = redactAll(judged.failure, tools.secrets);
    return { kind: 'failed', failure, kept: null, duration_s, artefacts: [] };
  }
  const { changes, commits } = await changed;
  return {
    kind: 'verified',
    head: assignment.commit,
    verifiers: judged.said.map(({ shown }) => shown),
    changes,
    ...(commits !== undefined && { commits }),
    gates: gatesOnDiff(changes),
    duration_s,
    artefacts: artefactsOf(judged.said, assignment),
  };
}

type Judged =
  | { readonly kind: 'judged'; readonly said: readonly Said[] }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'cancelled' };

async function judge(
  room: Room,
  { assignment, tools }: { assignment: Assignment; tools: Tools },
  signal: AbortSignal,
): Promise<Judged> {
  const { run, settings } = assignment.state;
  const ready = await setUp(room, settings.setup, { timeoutMs: settings.limits.minutes * 60_000, signal });
  if (ready.kind !== 'ready') return ready;
  const verification = { repository: run.repo, verifiers: settings.verifiers, secrets: tools.secrets };
  const said = await runVerifiers(room, verification, signal);
  return said === undefined ? { kind: 'cancelled' } : { kind: 'judged', said };
}

async function whatChanged(assignment: Assignment, tools: Tools) {
  const [changes, commits] = await Promise.all([
    changesSinceBase(assignment, tools),
    commitsOfIteration(assignment, tools),
  ]);
  return { changes, commits };
}

const mostListed = 10;

/** Undefined when the iteration's first commit was force-pushed away and the mirror was made anew since. */
async function commitsOfIteration(
  { state, commit }: Assignment,
  { mirror }: Tools,
): Promise<CommitSummary | undefined> {
  const from = await mirror.resolve(currentIteration(state).head_before);
  if (from === undefined) return undefined;
  const commits = await commitsBetween(mirror.dir, { from, to: commit });
  return { count: commits.length, newest: commits.slice(0, mostListed) };
}

/** What people would merge: from where the branch left its base to the commit. */
async function changesSinceBase({ state, commit }: Assignment, { mirror }: Tools) {
  const base = await mirror.resolve(`refs/heads/${state.run.base}`);
  if (base === undefined)
    throw new Error(`could not find the base branch ${state.run.base} in ${mirror.dir}`);
  return changesBetween(mirror.dir, base, commit);
}

function artefactsOf(said: readonly Said[], { hold }: Assignment): readonly Artefact[] {
  const folder = `${attemptFolder(hold)}/verifiers`;
  return said.map(({ whole }, index) => ({
    path: `${folder}/${fileNameOf(whole.name, said.slice(0, index))}.json`,
    content: `${JSON.stringify(whole, null, 2)}\n`,
  }));
}

/** A verifier's name as a file name; one that is taken already gets a number. */
function fileNameOf(name: string, before: readonly Said[]): string {
  const plain = (text: string): string => text.replace(/[^A-Za-z0-9_-]+/g, '-');
  const taken = before.filter(({ whole }) => plain(whole.name).toLowerCase() === plain(name).toLowerCase());
  return taken.length === 0 ? plain(name) : `${plain(name)}.${taken.length + 1}`;
}
