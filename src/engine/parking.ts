import { attemptFolder, type Resumed, type WorkOutcome } from '../agent/port/assignment.ts';
import { git } from '../git/git.ts';
import type { Mirror } from '../git/mirror.ts';
import { inside } from '../git/objects.ts';
import type { CodeRefusal, KeptCommit } from '../ledger/attachments.ts';
import { keptRef } from '../ledger/format.ts';
import { messageOf } from '../repository/faults.ts';
import { failedBefore } from '../steering/iterations/iteration.ts';
import { isOver } from '../steering/phases/table.ts';
import type { UnfinishedWork } from '../steering/shapes/attempt-result.ts';
import { mayKeepRemotely } from '../steering/shapes/gate-rules.ts';
import type { AttemptId } from '../steering/shapes/standing.ts';
import type { State } from '../steering/state/state.ts';
import type { AttemptedRun } from './engine.ts';
import { parentOfKept } from './landing.ts';
import { failed, type LeasedWork, observations, report, stamp } from './leased-work.ts';

/** How an agent is stopped without losing anything, and how another goes on from there. */

type Parked = Extract<WorkOutcome, { kind: 'parked' }>;
type Failed = Extract<WorkOutcome, { kind: 'failed' }>;

/** Records that an agent was stopped: its unfinished work, its log and the event are one push. */
export async function recordParked(job: LeasedWork, outcome: Parked): Promise<State | undefined> {
  const { options, hold, run } = job;
  const { newest } = run;
  // Nobody goes on with a run that is over, but what it cost counts.
  const isWanted = newest === undefined || !isOver(newest.standing.phase);
  const { left, kept } = await keeping(job, isWanted ? outcome.left : null);
  const { because, until, tool_calls, duration_s, cost, ran = [], artefacts } = outcome;
  const event = {
    type: 'work_parked',
    ...{ ...stamp(options, 'parked'), hold, because, left, duration_s },
    ...(until !== undefined && { until }),
    ...(tool_calls.length > 0 && { tool_calls }),
    ...(cost !== undefined && { cost }),
    ...(ran.length > 0 && { ran }),
    ...observations(outcome),
  } as const;
  const otherwise = (refusal: CodeRefusal) => ({ ...event, left: left && unlessKept(left, refusal) });
  const load = { ...(isWanted && { artefacts }), ...(kept && { kept }), otherwise };
  return report(job, event, load).catch((fault: unknown) => {
    if (!options.signal.aborted) throw fault;
    // Whoever stopped it has already decided how the run goes on.
    options.services.log.warn(`could not keep what an agent of ${run.name} did: ${messageOf(fault)}`);
    return undefined;
  });
}

/** Records that an agent failed; the next attempt goes on from what it left. */
export async function recordFailed(job: LeasedWork, outcome: Failed): Promise<State | undefined> {
  const { left, kept } = await keeping(job, outcome.left);
  const { artefacts, left: behind, ...ended } = outcome;
  const event = (unfinished: UnfinishedWork | null) =>
    failed(job, {
      ...ended,
      kept: behind?.head ?? null,
      ...(unfinished && { left: unfinished }),
      ...(unfinished?.kept && { kept_ref: unfinished.kept }),
    });
  const otherwise = (refusal: CodeRefusal) => event(left && unlessKept(left, refusal));
  return report(job, event(left), { artefacts, ...(kept && { kept }), otherwise });
}

/** Unfinished work goes under a ref that starts no workflow. What may be a secret stays on this machine. */
async function keeping(
  { state, resources }: LeasedWork,
  behind: Parked['left'],
): Promise<{ readonly left: UnfinishedWork | null; readonly kept?: KeptCommit }> {
  if (behind === null) return { left: null };
  const { head, gates } = behind;
  const { number } = state.run;
  const ref = keptRef(number, head);
  // Otherwise Git would remove the commit from the mirror in time.
  await git(['update-ref', ref, head], inside(resources.mirror.dir));
  const unfinished = { head_before: state.head, head };
  if (!mayKeepRemotely(gates))
    return { left: { ...unfinished, kept: null, refusal: 'it may hold a secret' } };
  return { left: { ...unfinished, kept: ref }, kept: { ref, to: head } };
}

/** A ref that is named after the commit and already there keeps it. */
function unlessKept(left: UnfinishedWork, { kind, message }: CodeRefusal): UnfinishedWork {
  return kind === 'moved' ? left : { ...left, kept: null, refusal: message };
}

/** What the attempt that is due goes on from; undefined if it begins anew. `head` is where it begins. */
export async function resumedFrom(
  mirror: Mirror,
  { run, state, head }: { readonly run: AttemptedRun; readonly state: State; readonly head: string },
  onFault: (problem: string) => void,
): Promise<Resumed | undefined> {
  const { parked, iteration } = state;
  const before = failedBefore(state);
  const of: AttemptId | undefined = parked ?? (before && { ...before, iteration });
  if (of === undefined) return undefined;
  const log = await run.artefact(`${attemptFolder(of)}/reasoning.md`).catch((fault: unknown) => {
    onFault(`could not read the log of attempt ${of.attempt} of ${run.name}: ${messageOf(fault)}`);
    return undefined;
  });
  return {
    ...(log !== undefined && { log }),
    ...(parked?.work && (await workOf(mirror, parked.work, head))),
  };
}

/** Which commit it is, the ledger says; the ref that keeps it may by now lead elsewhere. */
async function workOf(
  mirror: Mirror,
  work: UnfinishedWork,
  head: string,
): Promise<Pick<Resumed, 'work' | 'commit'>> {
  const parent = await parentOfKept(mirror, work);
  if (parent === undefined) return { work: 'gone' };
  return parent === head && work.head_before === head
    ? { work: 'there', commit: work.head }
    : { work: 'moved' };
}
