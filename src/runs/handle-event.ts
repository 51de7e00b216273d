import createDebug from 'debug';
import type { GitHubEvent } from '../github/events/github-event.ts';
import type { RunEvent, SaidThere, StartRequest, WrittenComment } from '../github/listen/run-event.ts';
import { translate } from '../github/listen/translate.ts';
import { recordClick } from '../github/write/pass-check.ts';
import { react } from '../github/write/reactions.ts';
import { isAlwaysAnswered } from '../steering/answering/reply-limit.ts';
import { mayHear } from '../steering/hearing.ts';
import { covers, type Person } from '../steering/shapes/person.ts';
import type { Source } from '../steering/shapes/source.ts';
import type { Event, EventOf } from '../steering/state/event.ts';
import type { State } from '../steering/state/state.ts';
import { noteTurned } from './dependencies/waking.ts';
import { isWaitingToMerge } from './finish/merge.ts';
import { mayConcernApproval, recordOrWithhold } from './finish/record-or-withhold.ts';
import type { LiveRuns } from './live/live-runs.ts';
import { letPass } from './queue/other-pulls.ts';
import { messageOf } from './repository/faults.ts';
import type { Repository } from './repository/repository.ts';
import { answerLoss, pauseIfLost, requireNoLoss } from './restore/answer-loss.ts';
import { recordReopening } from './restore/sweep-reopened.ts';
import { tellMachineFault } from './run/machine-faults.ts';
import { recordRetarget } from './run/retarget.ts';
import type { Run } from './run/run.ts';
import type { Services } from './run/services.ts';
import { startRun } from './start/start.ts';
import { isStartRefused, replyStartRefused } from './start/start-refused.ts';
import type { StartOptions } from './start/starting.ts';

const debug = createDebug('coxswain:listen');

/** After this long a delivery is late, in milliseconds; most take a second or two. */
const lateMs = 10_000;

/** Where an event was received. */
export interface EventContext {
  readonly repository: Repository;
  readonly liveRuns: LiveRuns;
  /** What a workflow's inputs specify in addition to the task. */
  readonly startOptions?: StartOptions;
  /** Whether the event was looked for, and may have been handled when it happened. */
  readonly isLookedFor?: boolean;
}

/** Handles an event of one repository. Resolves when everything that concerns a run is recorded. */
export async function handleGitHubEvent(incoming: GitHubEvent, context: EventContext): Promise<void> {
  const { liveRuns, repository } = context;
  const { octokit, own } = repository;
  const trigger = incoming.kind === 'labeled' ? await liveRuns.triggers.of(repository) : '';
  const mustReadAgain = (comment: WrittenComment) => mayStartWork(comment, context);
  const waitsForWords = (said: SaidThere) => waitsFor(said, context);
  const listening = { octokit, trigger, own, mustReadAgain, waitsForWords };
  const runEvents = await translate(incoming, listening);
  if (runEvents.length === 0) debug('%s in %s: nothing follows', incoming.kind, repository.name);
  await Promise.all(runEvents.map((runEvent) => handleRunEvent(runEvent, context)));
  // A rule may have required this review, whether or not it says anything to us.
  if (incoming.kind === 'review') await mergeIfWaiting([incoming.pull.number], context);
}

/**
 * Whether a comment that may be old can only start work. Where somebody has approved, the same words take
 * that back, and they count whatever others made of them.
 */
async function mayStartWork(
  { written_at, number, is_pull }: WrittenComment,
  { repository, liveRuns }: EventContext,
): Promise<boolean> {
  if (!mayBeOld(written_at, liveRuns.services)) return false;
  if (!is_pull) return true;
  // Why it cannot be read is told when the comment is recorded.
  const known = await liveRuns
    .of(repository, number)
    .readLedger()
    .catch(() => undefined);
  return known?.state.approvals.length === 0 && known.state.standing.phase !== 'approved';
}

/** Whether words without a command can change anything there. */
async function waitsFor(
  { number, how }: SaidThere,
  { repository, liveRuns }: EventContext,
): Promise<boolean> {
  try {
    const state = await liveRuns.of(repository, number).state();
    return state !== undefined && mayHear(state, how);
  } catch {
    // Why the ledger cannot be read is told when they are recorded.
    return true;
  }
}

/**
 * Whether something written at this time may have been changed without this process knowing: the edit of a
 * comment can be told before the comment, or to another process, which passes it over.
 */
function mayBeOld(written_at: string, { presenter, others, clock }: Services): boolean {
  if (presenter === 'action' || others?.present) return true;
  return clock.now().getTime() - Date.parse(written_at) > lateMs;
}

async function handleRunEvent(runEvent: RunEvent, context: EventContext): Promise<void> {
  const { repository, liveRuns } = context;
  const { services } = liveRuns;
  switch (runEvent.kind) {
    case 'event':
      return acknowledgeAndRecord(runEvent.event, liveRuns.of(repository, runEvent.number), services);
    case 'start':
      return startFrom(runEvent.request, context);
    case 'obsolete':
      liveRuns.ifOpen(repository, runEvent.number)?.doubts.recorded(runEvent);
      return;
    case 'body_edited': {
      const run = liveRuns.of(repository, runEvent.number);
      return run.repairBody(runEvent).catch((fault: unknown) => pauseIfLost(fault, { run, services }));
    }
    case 'relabeled': {
      const run = liveRuns.of(repository, runEvent.number);
      return run.repairLabels().catch((fault: unknown) => pauseIfLost(fault, { run, services }));
    }
    case 'retargeted': {
      const run = liveRuns.of(repository, runEvent.number);
      const recording = () =>
        recordRetarget(run, runEvent).catch((fault: unknown) => pauseIfLost(fault, { run, services }));
      return recordOrWithhold(recording, { run, services });
    }
    case 'check_ended':
      return noteCheck(runEvent, context);
    case 'checks_passed':
      return mergeIfWaiting(runEvent.numbers, context);
    case 'merge_group': {
      // Most repositories have no merge queue.
      const { endGroup, settleGroup } = await import('./queue/settle-group.ts');
      if (runEvent.is === 'wanted') return settleGroup(runEvent, context);
      return endGroup(runEvent, { merged: runEvent.is === 'merged' }, context);
    }
    case 'dependency_turned':
      return noteTurned(runEvent.what, { repository, liveRuns });
    case 'other_pull':
      return letPass(runEvent, { repository, services });
    case 'installed':
    case 'sweep':
      // Only entry points that know all their repositories handle these.
      return;
  }
}

/**
 * Tries again to merge approved runs for which GitHub has not allowed it yet. Most deliveries concern no such
 * run, so only those that are open here are looked at; the sweep does what fails or is missed.
 */
export async function mergeIfWaiting(
  numbers: readonly number[],
  { repository, liveRuns }: EventContext,
): Promise<void> {
  const { services } = liveRuns;
  const { log } = services;
  for (const number of numbers) {
    const run = liveRuns.ifOpen(repository, number);
    if (run?.newest === undefined) continue;
    const merging = async () => {
      const state = await run.state();
      if (state !== undefined && isWaitingToMerge(state)) inBackground(run.finishAgain(), run, log);
    };
    await merging().catch((fault: unknown) =>
      log.warn(`could not look whether ${run.name} can be merged: ${messageOf(fault)}`),
    );
  }
}

/** The sweep would find out, but what was said has just been changed or deleted. */
async function checkIfApproving(
  { comment_id }: EventOf<'comment_changed'>,
  run: Run,
  services: Services,
): Promise<void> {
  const { approvals = [] } = (await run.state()) ?? {};
  if (!approvals.some(({ source }) => source.from === 'comment' && source.comment_id === comment_id)) return;
  inBackground(run.finishAgain('check'), run, services.log);
}

/** The sweep does again what fails. */
function inBackground(finishing: Promise<void>, { name }: Run, log: Services['log']): void {
  finishing.catch((fault: unknown) =>
    log.warn(`could not check or merge ${name}; the sweep will try again: ${messageOf(fault)}`),
  );
}

/** Commands on a run that is known to be ours are acknowledged at once, others when they are recorded. */
async function acknowledgeAndRecord(event: Event, run: Run, services: Services): Promise<void> {
  if (event.type === 'comment_changed')
    await checkIfApproving(event, run, services).catch((fault: unknown) =>
      services.log.warn(`could not look whether a comment approves ${run.name}: ${messageOf(fault)}`),
    );
  if (event.type !== 'said') return record(event, run, services);
  const isOurs = () => run.newest !== undefined;
  const wasOurs = isOurs();
  if (wasOurs) acknowledge(run.repository, event, services);
  await keepClick(event, run);
  await record(event, run, services);
  if (!wasOurs && isOurs()) acknowledge(run.repository, event, services);
}

/** If the ledger is lost, the author of a command is told how to continue. */
async function record(event: Event, run: Run, services: Services): Promise<void> {
  const recording = () =>
    missedReopening(event, run)
      .then(() => run.record(event))
      .then((recorded) => requireNoLoss(event, run, recorded))
      .catch((fault: unknown) => answerLoss(fault, event, { run, services }));
  const recorded = mayConcernApproval(event)
    ? recordOrWithhold(recording, { run, services, event })
    : recording();
  await recorded.catch(async (fault: unknown) => {
    await tellMachineFault(fault, event, { run, services });
    throw fault;
  });
}

/** Whoever wants to go on with a run that has ended may have reopened it a moment ago. */
async function missedReopening(event: Event, run: Run): Promise<void> {
  if (event.type !== 'said' || event.command.type !== 'resume') return;
  // Looking costs requests, which not everybody may cause.
  if (isAlwaysAnswered(event.by.role)) await recordReopening(run);
}

/** A click leaves no text that could be read again, so it is recorded where nobody else can write. */
async function keepClick(
  { command, source, by }: EventOf<'said'>,
  { repository, number }: Run,
): Promise<void> {
  if (source.from !== 'click' || command.type !== 'approve' || !covers(by.role, 'write')) return;
  const { octokit, own } = repository;
  await recordClick(octokit, { where: repository, number, own }, { by, source });
}

async function startFrom(
  request: StartRequest,
  { repository, liveRuns, startOptions = {}, isLookedFor = false }: EventContext,
): Promise<void> {
  if (isLookedFor && (await isStartRefused({ repository, services: liveRuns.services }, request))) return;
  acknowledge(repository, request, liveRuns.services);
  const started = await startRun({ request, repository, liveRuns, startOptions });
  if (started.outcome === 'refused') {
    const { services } = liveRuns;
    const { refusal } = started;
    // Only an owner can grant it, whoever gets the reply.
    if (refusal.why === 'missing_permission')
      services.log.error(
        `could not start a run in ${repository.owner}/${repository.name}: ${refusal.message}`,
      );
    await replyStartRefused({ repository, services }, request, refusal);
  }
}

/** With this many writes waiting, an acknowledgement would only delay the answer. */
const maxWaiting = 20;

/**
 * Shows a person at once that their comment was received; the answer follows. Nothing depends on this, so a
 * failure is only logged. People without write access get only the answer, whose number is limited.
 */
function acknowledge(
  repository: Repository,
  { source, by }: { readonly source: Source | null; readonly by: Person },
  { log }: Pick<Services, 'log'>,
): void {
  if (source?.from !== 'comment' || !isAlwaysAnswered(by.role)) return;
  if (repository.octokit.waitingWrites() > maxWaiting) return;
  const { comment_id } = source;
  react(repository.octokit, repository, { comment_id, content: 'eyes' }).catch((fault: unknown) =>
    log.warn(`could not acknowledge comment ${comment_id}: ${messageOf(fault)}`),
  );
}

type CheckEnded = Extract<RunEvent, { kind: 'check_ended' }>;

/**
 * A check has ended that a run may wait for, or was judged by. Webhooks come late and in any order, so GitHub
 * is asked what holds now; the sweep does what fails or is missed.
 */
async function noteCheck(
  ended: CheckEnded,
  { repository, liveRuns }: { readonly repository: Repository; readonly liveRuns: LiveRuns },
): Promise<void> {
  const { others, log } = liveRuns.services;
  for (const number of ended.numbers) {
    const run = liveRuns.of(repository, number);
    const reading = async () => {
      if (await isNamed(run, ended, others?.present === true)) await run.readChecks();
    };
    await reading().catch((fault: unknown) =>
      log.warn(`could not read the checks of ${run.name}; the sweep will try again: ${messageOf(fault)}`),
    );
  }
}

/**
 * Whether the run's configuration names the check and the commit is its head. What this process knows of the
 * run may be outdated: another one may have pushed the commit.
 */
async function isNamed(run: Run, ended: CheckEnded, hasOthers: boolean): Promise<boolean> {
  if (run.newest !== undefined && !hasOthers) {
    if (!names(run.newest, ended)) return false;
    if (run.newest.head === ended.head) return true;
  }
  const known = await run.readLedger();
  return known !== undefined && names(known.state, ended) && known.state.head === ended.head;
}

function names({ settings: { checks = [] } }: State, { check: { check, app } }: CheckEnded): boolean {
  return checks.some((spec) => spec.check === check && spec.app === app);
}
