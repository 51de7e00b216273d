import { setTimeout as wait } from 'node:timers/promises';
import { verifierCheck as verifierCheckName } from '../../config/check-names.ts';
import { readQueue } from '../../github/read/read-merge-queue.ts';
import {
  drawOnGroup,
  type GroupCheckView,
  type GroupPlace,
  isGroupDecided,
  takeGroupBack,
} from '../../github/show/group-checks.ts';
import { messageOf, retry } from '../../repository/faults.ts';
import { webOf } from '../../repository/repository.ts';
import { isFinished } from '../../steering/approval/finish-reasons.ts';
import { failedRequired } from '../../steering/confidence/evaluation.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import { redactAll } from '../../text/redact.ts';
import { verifierCheck } from '../../words/check-texts.ts';
import { type GroupSaid, groupCheck, groupFailures } from '../../words/merge-group-texts.ts';
import { orTell } from '../run/background-work.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';
import type { MergeGroup } from '../run/merge-groups.ts';
import {
  type GroupVerdict,
  type JudgedGroup,
  judgeGroup,
  type SaidOfRun,
  verifyGroup,
} from './judge-group.ts';

/** GitHub may tell of a group before it lists it; then it is asked again after these times. */
const waitsMs = [0, 500, 2_000];

/**
 * Answers the checks that GitHub requires on the head of a merge group. Resolves when they are drawn, be it
 * as in progress: the verifiers then go on in the background, and if this process ends, the sweep begins
 * anew.
 */
export async function settleGroup(group: MergeGroup, runs: RepositoryRuns): Promise<void> {
  if (runs.groups.isUnderWay(group)) return;
  let judged: JudgedGroup | undefined;
  for (const ms of waitsMs) {
    if (ms > 0) await wait(ms);
    judged = await judgeGroup(group, runs);
    if (judged !== undefined) break;
  }
  if (judged !== undefined) await settle(group, judged, runs);
}

async function settle(group: MergeGroup, judged: JudgedGroup, runs: RepositoryRuns): Promise<void> {
  if (await isGroupDecided(placeOf(group, runs), judged.check)) return;
  if (isRefused(judged)) return decide(group, { judged, said: { is: 'refused' } }, runs);
  if (judged.runs.length === 0) return decide(group, { judged, said: { is: 'passed' } }, runs);
  await draw(group, { judged, said: { is: 'verifying' } }, runs);
  // Another delivery, or the sweep, may have begun meanwhile.
  if (runs.groups.isUnderWay(group)) return;
  void runs.groups.begin(group, (signal) => verifyAndDecide(group, judged, runs, signal));
}

/** Never rejects: what fails is done again by the sweep. */
async function verifyAndDecide(
  group: MergeGroup,
  judged: JudgedGroup,
  runs: RepositoryRuns,
  signal: AbortSignal,
): Promise<void> {
  const { log } = runs.services;
  const name = `the merge group ${shortSha(group.head)} of ${runs.name}`;
  const trying = { log, signal, firstWaitMs: 1_000, factor: 3 };
  try {
    const verifying = { ...trying, doing: `verify ${name}` };
    const verdict = await retry(() => verifyGroup(group, judged, runs, signal), verifying);
    if (verdict.outcome === 'cancelled') return;
    const deciding = { ...trying, doing: `decide about ${name}` };
    await retry(() => decideAfter(group, { verdict, check: judged.check }, runs, signal), deciding);
  } catch (fault) {
    if (!signal.aborted)
      log.error(`gave up verifying ${name}; the next sweep will retry: ${messageOf(fault)}`);
  }
}

type Ended = Exclude<GroupVerdict, { outcome: 'cancelled' }>;

/**
 * Meanwhile the group may have gone, and an approval may have fallen: everything is asked once more. What
 * another process has decided stays, such as on a group that GitHub has merged by now.
 */
async function decideAfter(
  group: MergeGroup,
  { verdict, check }: { readonly verdict: Ended; readonly check: string },
  runs: RepositoryRuns,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const place = placeOf(group, runs);
  const judged = await judgeGroup(group, runs);
  if (await isGroupDecided(place, judged?.check ?? check)) return;
  if (judged === undefined) return takeGroupBack(place);
  const ofRuns = verdict.outcome === 'ran' ? verdict.said : [];
  const said = isRefused(judged) ? ({ is: 'refused' } as const) : saidOf(verdict, judged);
  await decide(group, { judged, said, ofRuns }, runs);
}

/** What a run was approved despite may stay red for that run, and for no other. */
function saidOf(verdict: Ended, { runs }: JudgedGroup): GroupSaid {
  if (verdict.outcome === 'failed') return { is: 'failed', verifiers: [], problem: verdict.problem };
  const failed = verdict.said.flatMap(({ number, outputs }) => {
    const approvals = runs.find(({ run }) => run.number === number)?.state.approvals ?? [];
    const excused = approvals.flatMap(({ despite }) => despite);
    return failedRequired(outputs).filter((name) => !excused.includes(name));
  });
  return failed.length === 0 ? { is: 'passed' } : { is: 'failed', verifiers: [...new Set(failed)] };
}

function isRefused({ members }: JudgedGroup): boolean {
  return members.some(({ against }) => against !== undefined);
}

/** What a merge group comes to, and what its verifiers say. */
interface Decision {
  readonly judged: JudgedGroup;
  readonly said: GroupSaid;
  readonly ofRuns?: readonly SaidOfRun[];
}

async function decide(group: MergeGroup, decision: Decision, runs: RepositoryRuns): Promise<void> {
  const { judged, said } = decision;
  const last = judged.members.at(-1);
  const failures = groupFailures(said, judged.members);
  if (last !== undefined && failures.length > 0) runs.groups.failures.set(last.number, failures);
  await draw(group, decision, runs);
}

/** The verifiers come first: once the decision is there, GitHub may merge the group. */
async function draw(
  group: MergeGroup,
  { judged, said, ofRuns = [] }: Decision,
  runs: RepositoryRuns,
): Promise<void> {
  const { check, members } = judged;
  const web = webOf(runs.repository);
  // Where runs have other verifiers of the same name, the one that failed is shown.
  const outputs = ofRuns
    .flatMap((each) => each.outputs)
    .sort((one, other) => Number(one.success) - Number(other.success));
  const shown = outputs.filter(
    ({ name }, index) => outputs.findIndex((each) => each.name === name) === index,
  );
  const ofVerifiers = shown.map(
    (output): GroupCheckView => ({
      ...verifierCheck(output, { head_sha: group.head }, web),
      name: verifierCheckName(check, output.name),
      result: output.success ? 'success' : output.timed_out ? 'timed_out' : 'failure',
    }),
  );
  const result = {
    verifying: 'in_progress',
    passed: 'success',
    refused: 'failure',
    failed: 'failure',
  } as const;
  const decision = { ...groupCheck(said, members), name: check, result: result[said.is] };
  const { secrets } = runs.services;
  await drawOnGroup(placeOf(group, runs), redactAll([...ofVerifiers, decision], secrets));
}

function placeOf({ head }: MergeGroup, { repository }: RepositoryRuns): GroupPlace {
  const { octokit, own } = repository;
  return { octokit, where: repository, own, head };
}

/** GitHub has merged a group, or given it up: then nothing of ours on its head permits merging any more. */
export async function endGroup(
  group: MergeGroup,
  { merged }: { readonly merged: boolean },
  runs: RepositoryRuns,
): Promise<void> {
  await runs.groups.end(group);
  if (!merged) await takeGroupBack(placeOf(group, runs));
}

/**
 * Deals with merge groups that nobody told us of, or whose process has ended. Only queues in which an
 * approved run may be are looked at; what was missed of all others comes again with GitHub's deliveries.
 */
export async function sweepGroups(runs: RepositoryRuns): Promise<void> {
  const { repository, services } = runs;
  const approved = runs.open.filter(({ newest }) => newest && isFinished(newest));
  for (const base of new Set(approved.flatMap(({ newest }) => newest?.run.base ?? []))) {
    const settling = async () => {
      for (const { group: head } of await readQueue(repository.octokit, repository, base))
        if (head !== null) await settleGroup({ base, head }, runs);
    };
    await orTell(services.log, `look at the merge queue of ${base} of ${runs.name}`, settling);
  }
}
