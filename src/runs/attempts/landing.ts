import { git } from '../../git/git.ts';
import type { Mirror } from '../../git/mirror.ts';
import { anyCommitFrom, inside, readObjects } from '../../git/objects.ts';

import { listRemote } from '../../git/remote.ts';
import type { Artefact, CodeRefusal } from '../../ledger/attachments.ts';
import { keptRef } from '../../ledger/format.ts';
import { mayKeepRemotely } from '../../steering/iterations/interactions.ts';
import { holdsLease } from '../../steering/iterations/step.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import type {
  Cost,
  Failure,
  GateHit,
  Observations,
  UnfinishedWork,
  Work,
} from '../../steering/shapes/attempt-result.ts';
import type { HeldWork, LeaseId } from '../../steering/shapes/standing.ts';
import type { Event } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import { failed, type LeasedWork, report, reportCode, stamp } from './leased-work.ts';

/** How work reaches the branch: at once, or held until a human allows it. */

/** What is recorded together with the work. */
interface Besides extends Observations {
  readonly artefacts?: readonly Artefact[];
  /** What it cost, unless that was counted before, for the case that it does not get onto the branch. */
  readonly cost?: Cost;
  /** The gates on it, which say whether a ref of its own may keep it in that case. */
  readonly gates?: readonly GateHit[];
  /** The ref that keeps it already. */
  readonly kept?: string | null;
}

/** Pushes the work to the branch together with its record. */
export function finishWork(
  job: LeasedWork,
  work: Work,
  { artefacts = [], cost, gates, kept = null, ...met }: Besides = {},
): Promise<State | undefined> {
  const { options, hold, state } = job;
  const event = (head: string): Event => {
    const landed = head === work.head ? work : { ...work, head, unsigned: work.head };
    return { type: 'work_finished', ...stamp(options, 'work'), hold, work: landed, ...met };
  };
  const code = { branch: state.run.branch, from: work.head_before, to: work.head };
  const otherwise = ({ kind, message }: CodeRefusal, kept_ref = kept ?? undefined) =>
    failed(job, {
      failure: { kind: kind === 'moved' ? 'branch_moved' : 'push_refused', message },
      kept: work.head,
      ...(kept_ref !== undefined && { kept_ref }),
      duration_s: work.duration_s,
      ...(cost !== undefined && { cost }),
      ...(work.ran !== undefined && { ran: work.ran }),
      ...met,
    });
  const keep = (refusal: CodeRefusal) =>
    gates !== undefined && mayKeepRemotely(gates) && !saysSecret(refusal)
      ? { ref: keptRef(state.run.number, work.head), to: work.head }
      : undefined;
  const objection = (newest: State) => movedUnder(newest, hold, work);
  const load = { artefacts, keep, otherwise, objection };
  if (work.head === work.head_before) return report(job, event(work.head), load);
  return reportCode(job, code, event, load);
}

/** Somebody has pushed while the agent worked: decided on as a result, the work would not be kept. */
function movedUnder(newest: State, hold: LeaseId, { head_before, report }: Work): CodeRefusal | undefined {
  // Once the work is on the branch, the head is another one because of that.
  if (
    !holdsLease(newest, hold) ||
    newest.standing.phase !== 'working' ||
    newest.head === head_before ||
    report.status === 'cannot'
  )
    return undefined;
  return { kind: 'moved', message: builtOn(head_before, newest.head) };
}

function builtOn(head_before: string, head: string): string {
  return `built on ${shortSha(head_before)}, but the head is ${shortSha(head)}`;
}

/** What was refused because of a secret is not to be found on the remote under another name. */
function saysSecret({ message }: CodeRefusal): boolean {
  return /secret|credential|password|private.key|leak|push.protection/i.test(message);
}

/**
 * Keeps the work off the branch, under a ref that starts no workflow. Work that touches secrets, or that the
 * remote refuses to keep, stays in the mirror of this machine.
 */
export async function holdWork(
  job: LeasedWork,
  { work, hits, ...met }: Pick<HeldWork, 'work' | 'hits'> & Observations,
  artefacts: readonly Artefact[],
): Promise<State | undefined> {
  const { options, hold, state, resources } = job;
  const ref = keptRef(state.run.number, work.head);
  // Otherwise Git would remove the commit from the mirror in time.
  await git(['update-ref', ref, work.head], inside(resources.mirror.dir));
  const held = { type: 'work_held', ...stamp(options, 'held'), hold, work, hits, ...met } as const;
  if (!mayKeepRemotely(hits)) {
    const event: Event = { ...held, kept: null };
    return report(job, event, { artefacts, otherwise: () => event });
  }
  return report(
    job,
    { ...held, kept: ref },
    {
      artefacts,
      kept: { ref, to: work.head },
      otherwise: ({ kind, message }) =>
        kind === 'moved' ? { ...held, kept: ref } : { ...held, kept: null, refusal: message },
    },
  );
}

/**
 * Puts work that a human allowed on the branch, exactly the commit that was held; where GitHub signs it, the
 * one with the same files and words, and the record names both.
 */
export async function land(job: LeasedWork, held: HeldWork): Promise<State | undefined> {
  const { work } = held;
  const { state, resources } = job;
  const parent = await parentOfKept(resources.mirror, { head: work.head, kept: held.kept });
  if (parent === undefined) return giveUp(job, held, { kind: 'not_found', message: goneText(held) });
  if (parent !== state.head || work.head_before !== state.head) {
    return giveUp(job, held, { kind: 'branch_moved', message: builtOn(work.head_before, state.head) });
  }
  return finishWork(job, work, { kept: held.kept });
}

function giveUp(job: LeasedWork, { work, kept }: HeldWork, failure: Failure): Promise<State | undefined> {
  const kept_ref = kept === null || failure.kind === 'not_found' ? {} : { kept_ref: kept };
  const event = failed(job, { failure, kept: work.head, duration_s: 0, ...kept_ref });
  return report(job, event, { otherwise: () => event });
}

function goneText({ work, kept }: HeldWork): string {
  const where =
    kept === null ? 'was only on the machine where the agent ran' : `is neither here nor at ${kept}`;
  return `the allowed commit ${shortSha(work.head)} no longer exists: it ${where}`;
}

/** The first parent of the kept commit, which is fetched if it is not here; undefined if it is gone. */
export async function parentOfKept(
  mirror: Mirror,
  { head, kept }: Pick<UnfinishedWork, 'head' | 'kept'>,
): Promise<string | undefined> {
  const isHere = (await mirror.resolve(head)) !== undefined;
  if (!isHere && kept !== null && (await listRemote(mirror.remote, [kept])).has(kept))
    await mirror.fetch([`+${kept}:${kept}`]);
  const [commit] = await mirror.reading(() => readObjects(mirror.dir, [head]));
  // Of a merge that an agent has ended, the second parent is the base.
  return commit && anyCommitFrom(commit.content)?.parents[0];
}
