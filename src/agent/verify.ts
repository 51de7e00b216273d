import { gatesOnDiff } from '../gates/index.ts';
import { changesBetween } from '../git/diff.ts';
import type { Failure } from '../steering/evidence.ts';
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
  const changed = changesSinceBase(assignment, tools);
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
  const changes = await changed;
  return {
    kind: 'verified',
    head: assignment.commit,
    verifiers: judged.said.map(({ shown }) => shown),
    changes,
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
