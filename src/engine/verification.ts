import { verify } from '../agent/index.ts';
import type { VerifyOutcome } from '../agent/port/assignment.ts';
import { authorityOf } from '../repository/authority.ts';
import { messageOf, retry } from '../repository/faults.ts';
import { agentName } from '../steering/iterations/authorship.ts';
import type { Authority } from '../steering/shapes/approval-authority.ts';
import type { EventOf, Stamp } from '../steering/state/event.ts';
import type { State } from '../steering/state/state.ts';
import { redactAll } from '../text/redact.ts';
import { failed, keepTrying, type LeasedWork, observations, report, stamp } from './leased-work.ts';

/** The verifiers' part: they run on the head, and what they say is recorded. */
export async function verifyHead(job: LeasedWork): Promise<void> {
  const { options, hold, default_branch, resources, state } = job;
  const assignment = { state, hold, default_branch, commit: state.head };
  const { progress } = options.services;
  progress?.verify(job.run.name, []);
  // What is verified has to be what a merge would bring now, not when the agent began.
  if (state.settings.verify_against === 'merge') await resources.mirror.fetch();
  const watch = job.live.awaitSteers();
  const outcome = await verify(assignment, resources, {
    signal: options.signal,
    enough: watch.steered,
    onProgress: (verifiers, trial) => progress?.verify(job.run.name, verifiers, trial),
  }).finally(() => watch.end());
  if (outcome.kind === 'cancelled') return;
  const { artefacts } = outcome;
  const event = outcome.kind === 'failed' ? verifiersFailed(job, outcome) : await judged(job, outcome);
  await report(job, event, { artefacts, otherwise: () => event });
}

function verifiersFailed(job: LeasedWork, { left: _, ...ended }: Failed): EventOf<'work_failed'> {
  return failed(job, { ...ended, kept: null });
}

type Failed = Extract<VerifyOutcome, { kind: 'failed' }>;

type Verified = Omit<EventOf<'verified'>, 'type' | 'hold' | keyof Stamp>;

/** With what decides besides the verifiers whether people are needed. */
async function judged(job: LeasedWork, outcome: Verified): Promise<EventOf<'verified'>> {
  const { notices, ...history } = await historyOf(job, job.state);
  const authority = await authorityIn(job, outcome.head);
  const facts = { ...history, ...(authority !== undefined && { authority }) };
  return verified(job, { ...outcome, ...facts, notices: [...(outcome.notices ?? []), ...notices] });
}

function verified({ options, hold }: LeasedWork, outcome: Verified): EventOf<'verified'> {
  const { head, verifiers, changes, commits, own_files, gates, subject, merged_runs, duration_s } = outcome;
  const { remarks, proof, baseline, merged_with, authority, review } = outcome;
  return {
    type: 'verified',
    ...stamp(options, 'verified'),
    hold,
    head,
    verifiers,
    changes,
    ...(commits !== undefined && { commits }),
    ...(own_files !== undefined && { own_files }),
    gates,
    ...(subject !== undefined && { subject }),
    ...(remarks !== undefined && { remarks }),
    ...(authority !== undefined && { authority }),
    ...(merged_runs !== undefined && { merged_runs }),
    ...(proof !== undefined && { proof }),
    ...(review !== undefined && { review }),
    ...(baseline !== undefined && { baseline }),
    ...(merged_with !== undefined && { merged_with }),
    duration_s,
    ...observations(outcome),
  };
}

/** Who has a say about the files of a verified commit, by the base that the attempt has fetched. */
async function authorityIn(
  { run, state, options, resources }: LeasedWork,
  head: string,
): Promise<Authority | undefined> {
  const change = { base: state.run.base, head, approval: state.settings.approval };
  const find = () => authorityOf(run.repository, change, state.run);
  const doing = `find who has a say about the files of ${run.name}`;
  return redactAll(await keepTrying(find, { doing, options }), resources.secrets);
}

/** How many merged runs are wanted where the configuration says nothing. */
const usualHistory = 3;

/**
 * How many merged runs stand behind the agents of this run; absent where only people decide, who need no
 * number for that. What cannot be read or believed is no history: then people are told so, and the run is on
 * new ground.
 */
async function historyOf(
  { run, options }: LeasedWork,
  state: State,
): Promise<{ readonly merged_runs?: number; readonly notices: readonly string[] }> {
  const { formerRuns, log } = options.services;
  const { mode, new_history: wanted = usualHistory } = state.settings.approval;
  if (formerRuns === undefined || mode === 'manual') return { notices: [] };
  const agents = state.agents ?? [agentName(state.settings.agent)];
  const doing = `count the former runs for ${run.name}`;
  const counting = () => formerRuns.merged(agents, wanted, run.repository);
  const patience = { log, signal: options.signal, firstWaitMs: 500, factor: 3 };
  const { count, why } = await retry(counting, { ...patience, doing }).catch((fault: unknown) => {
    log.warn(`gave up to ${doing}: ${messageOf(fault)}`);
    return { count: 0, why: 'it cannot be read' };
  });
  return { merged_runs: count, notices: why === undefined ? [] : [noticeOf(why)] };
}

function noticeOf(why: string): string {
  return `The record of former runs (refs/coxswain/outcomes) cannot be used: ${why}. So this counts as new ground.`;
}
