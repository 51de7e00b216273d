import { baseOf, commitMessage, conflictWith, skipsCi } from '../agent/index.ts';
import { type BegunMerge, beginMerge } from '../git/begun-merge.ts';
import { emptyCommit } from '../git/claim-branch.ts';
import { git } from '../git/git.ts';
import { isAncestor, mergeBase, mergeCommit } from '../git/merges.ts';
import type { Mirror } from '../git/mirror.ts';
import { anyCommitFrom, inside, readObjects } from '../git/objects.ts';
import { listRemote } from '../git/remote.ts';
import type { Artefact, CodeMove, CodeRefusal } from '../ledger/attachments.ts';
import { keptRef } from '../ledger/format.ts';
import { updateDue } from '../steering/branch/undo-and-update.ts';
import { holdsLease } from '../steering/iterations/step.ts';
import { shortSha } from '../steering/phrases/phrases.ts';
import type {
  Cost,
  Failure,
  GateHit,
  Observations,
  UnfinishedWork,
  Work,
} from '../steering/shapes/attempt-result.ts';
import { mayKeepRemotely } from '../steering/shapes/gate-rules.ts';
import type { HeldWork, LeaseId, Undo } from '../steering/shapes/standing.ts';
import type { Event } from '../steering/state/event.ts';
import type { State } from '../steering/state/state.ts';
import { redactAll } from '../text/redact.ts';
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

/**
 * Goes back to what an iteration came to: a new commit on top of the head has its files, so that no history
 * is rewritten. It is pushed together with its record.
 */
export async function undoTo(job: LeasedWork, { to, head: wanted }: Undo): Promise<State | undefined> {
  const { resources, state, options, hold } = job;
  const { head, run } = state;
  const { mirror } = resources;
  const at = options.services.clock.now().toISOString();
  const problem = await problemWith(mirror, wanted, head);
  const filesOf = problem === undefined ? await withBase(job, { wanted, at }) : undefined;
  if (filesOf === undefined) {
    const conflict = `${run.base} was merged since, and conflicts with what was there then`;
    const failure = { kind: 'not_found', message: problem ?? conflict } as const;
    const event = failed(job, { failure, kept: null, duration_s: 0 });
    return report(job, event, { otherwise: () => event });
  }
  const message = commitMessage(`Go back to iteration ${to}`, job);
  const made = await emptyCommit(mirror, { base: head, filesOf, message, at });
  const skips = skipsCi(state) ? { skips_ci: true as const } : {};
  const undone = { type: 'undone', ...stamp(options, 'undone'), hold, head_before: head, ...skips } as const;
  const code = { branch: run.branch, from: head, to: made };
  return landCommit(job, code, (landed) => ({ ...undone, head: landed }));
}

/**
 * A commit with the files of then and everything of the base that the branch has by now, which nobody wants
 * to take back; undefined if Git cannot merge the two.
 */
async function withBase(
  { state, resources: { mirror } }: LeasedWork,
  { wanted, at }: { readonly wanted: string; readonly at: string },
): Promise<string | undefined> {
  const { dir } = mirror;
  const known = await mergeBase(dir, state.head, await baseOf(state, mirror));
  if (known === undefined || (await isAncestor(dir, known, wanted))) return wanted;
  const merge = await mergeCommit(dir, { parents: [wanted, known], message: 'Files of then\n', at });
  return merge.kind === 'merged' ? merge.commit : undefined;
}

/** What people have removed from the branch, perhaps because of what is in it, does not come back by this. */
async function problemWith(mirror: Mirror, wanted: string, head: string): Promise<string | undefined> {
  const name = shortSha(wanted);
  if ((await mirror.resolve(wanted)) === undefined) return `its commit ${name} no longer exists`;
  if (await mirror.reading(() => isAncestor(mirror.dir, wanted, head))) return undefined;
  return `its commit ${name} is no longer part of the branch, which was force-pushed`;
}

/** What came of merging the base: a record, or a merge for the agent to end. */
type BaseMerge = { readonly recorded: State | undefined } | { readonly begun: BegunMerge };

/**
 * Merges the base into the branch, because what its task depends on is there by now, or because people want
 * it up to date: a commit whose first parent is the head, pushed together with its record. Conflicts are for
 * people, or for the agent if it is to resolve those with a commit of the base.
 */
export async function mergeBaseIn(job: LeasedWork): Promise<BaseMerge> {
  const { resources, state, options, hold } = job;
  const { head, run } = state;
  const { mirror } = resources;
  const newest = await baseOf(state, mirror);
  const update = updateDue(state);
  // What an agent has begun to merge it goes on with, unless that is of another base.
  const known = update?.base === run.base ? update.resolves : undefined;
  const isKnown = known !== undefined && (await mirror.reading(() => isAncestor(mirror.dir, known, newest)));
  const base_sha = isKnown ? known : newest;
  const merged = {
    type: 'base_merged',
    ...{ ...stamp(options, 'base'), hold },
    ...{ head_before: head, base: run.base, base_sha },
  } as const;
  if (await isAncestor(mirror.dir, base_sha, head)) {
    const event: Event = { ...merged, head };
    return { recorded: await report(job, event, { otherwise: () => event }) };
  }
  const at = options.services.clock.now().toISOString();
  const message = commitMessage(`Merge ${run.base} into ${run.branch}`, job);
  const merge = await mergeCommit(mirror.dir, { parents: [head, base_sha], message, at });
  if (merge.kind === 'merged') {
    const skips = skipsCi(state) ? { skips_ci: true as const } : {};
    const code = { branch: run.branch, from: head, to: merge.commit };
    return { recorded: await landCommit(job, code, (landed) => ({ ...merged, ...skips, head: landed })) };
  }
  const begun = await beginMerge(mirror.dir, { head, tip: base_sha, at });
  if (isKnown && state.standing.phase === 'working') return { begun };
  const failure = redactAll(await conflictWith(state, mirror, begun), resources.secrets);
  const event = failed(job, { failure, kept: null, duration_s: 0 });
  return { recorded: await report(job, event, { otherwise: () => event }) };
}

/**
 * Lets the CI of the repository run: our commits told GitHub to skip it, so a new head without that trailer
 * is pushed, an empty commit on top of what people have looked at.
 */
export async function startCi(job: LeasedWork): Promise<State | undefined> {
  const { resources, state, options, hold } = job;
  const { head, iteration, run } = state;
  const at = options.services.clock.now().toISOString();
  const message = `Let CI run\n\nCoxswain-Run: ${run.id}\nCoxswain-Iteration: ${iteration}\n`;
  const made = await emptyCommit(resources.mirror, { base: head, message, at });
  const started = { type: 'ci_started', ...stamp(options, 'ci'), hold, head_before: head } as const;
  const code = { branch: run.branch, from: head, to: made };
  return landCommit(job, code, (landed) => ({ ...started, head: landed }));
}

function landCommit(
  job: LeasedWork,
  code: CodeMove,
  event: (head: string) => Event,
): Promise<State | undefined> {
  return reportCode(job, code, event, { otherwise: (refusal) => refused(job, refusal) });
}

/** The event for a commit of ours that the repository does not take. */
function refused(job: LeasedWork, { kind, message }: CodeRefusal): Event {
  const failure = { kind: kind === 'moved' ? 'branch_moved' : 'push_refused', message } as const;
  return failed(job, { failure, kept: null, duration_s: 0 });
}
