import createDebug from 'debug';
import type { GitHubEvent, GitHubEventOf } from '../github/events/github-event.ts';
import { asItIsNow, hearWords, type SaidThere, startsWork, wordsIn } from '../github/listen/hear-comment.ts';
import {
  type Deed,
  type Heard,
  isForEntryPoint,
  isNote,
  type StartRequest,
  type Told,
} from '../github/listen/heard.ts';
import { translate } from '../github/listen/translate.ts';
import type { Log } from '../github/octokit/connect.ts';
import { recordClick } from '../github/write/completed-checks.ts';
import { react } from '../github/write/write-comments.ts';
import { othersMayRecord } from '../repository/other-processes.ts';
import type { Repository } from '../repository/repository.ts';
import { isAlwaysAnswered } from '../steering/approval/reply-limit.ts';
import { mayConcernApproval, mayHear } from '../steering/objections.ts';
import { covers, type Person, type Source } from '../steering/shapes/people.ts';
import type { EventOf } from '../steering/state/event.ts';
import { finishSoon, lookAgain, mergeIfWaiting } from './look-again.ts';
import { answerLoss, requireNoLoss } from './restore/answer-loss.ts';
import { recordReopening } from './restore/find-lost.ts';
import { orTell, recordOrWithhold } from './run/background-work.ts';
import type { RepositoryRuns } from './run/live-runs.ts';
import { tellMachineFault } from './run/machine-faults.ts';
import type { Run } from './run/run.ts';
import type { Services } from './run/services.ts';
import { isStartRefused, replyStartRefused, startRun } from './start/start.ts';
import type { StartOptions } from './start/starting.ts';

const debug = createDebug('coxswain:listen');

/** After this long a delivery is late, in milliseconds; most take a second or two. */
const lateMs = 10_000;

/** How an event was received that may start a run. */
export interface Receiving {
  /** What a workflow's inputs specify in addition to the task. */
  readonly startOptions?: StartOptions;
  /** Whether the event was looked for, and may have been handled when it happened. */
  readonly isLookedFor?: boolean;
}

/** Handles an event of one repository. Resolves when everything that concerns a run is recorded. */
export async function handleGitHubEvent(
  incoming: GitHubEvent,
  runs: RepositoryRuns,
  receiving: Receiving = {},
): Promise<void> {
  if (isNote(incoming)) return lookAgain(incoming, runs);
  if (isForEntryPoint(incoming)) return;
  const heard = await hear(incoming, runs);
  if (heard.length === 0) debug('%s in %s: nothing follows', incoming.kind, runs.name);
  const handle = (each: Heard) =>
    each.kind === 'start'
      ? startFrom(each.request, runs, receiving)
      : acknowledgeAndRecord(each.event, runs.of(each.number));
  await Promise.all(heard.map(handle));
  // A rule may have required this review, whether or not it says anything to us.
  if (incoming.kind === 'review') await mergeIfWaiting([incoming.pull.number], runs);
}

/**
 * What somebody said or did. What sets an agent to work is read again if it may be old, and words without a
 * command are heard only where they matter, because learning who wrote them costs a request.
 */
async function hear(incoming: Deed, runs: RepositoryRuns): Promise<readonly Heard[]> {
  const { octokit, own } = runs.repository;
  const trigger = incoming.kind === 'labeled' ? await runs.trigger() : '';
  const current = incoming.kind === 'comment' ? await readAgain(incoming, runs) : incoming;
  const heard = current === undefined ? [] : await translate(current, { octokit, trigger, own });
  const words = wordsIn(incoming, heard, own);
  if (words === undefined || !(await matters(words, runs))) return heard;
  return [...heard, ...(await hearWords(words, runs.repository))];
}

/**
 * Undefined if the comment was deleted. One that may be old is read again if it can only start work: where
 * somebody has approved, the same words take that back, and they count whatever others made of them.
 */
async function readAgain(
  incoming: GitHubEventOf<'comment'>,
  runs: RepositoryRuns,
): Promise<GitHubEventOf<'comment'> | undefined> {
  if (!mayBeOld(incoming.comment.created_at, runs.services) || !startsWork(incoming)) return incoming;
  const { number, is_pull } = incoming.issue;
  const isTakenBack = is_pull && !(await isUnapproved(runs.of(number)));
  return isTakenBack ? incoming : asItIsNow(incoming, runs.repository);
}

/** Why it cannot be read is told when the comment is recorded. */
async function isUnapproved(run: Run): Promise<boolean> {
  const known = await run.readLedger().catch(() => undefined);
  return known?.state.approvals.length === 0 && known.state.standing.phase !== 'approved';
}

/** Whether words without a command can change anything there. */
async function matters({ number, how }: SaidThere, runs: RepositoryRuns): Promise<boolean> {
  try {
    const state = await runs.of(number).state();
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
function mayBeOld(written_at: string, services: Services): boolean {
  return othersMayRecord(services) || services.clock.now().getTime() - Date.parse(written_at) > lateMs;
}

/** The sweep would find out, but what was said has just been changed or deleted. */
async function checkIfApproving({ comment_id }: EventOf<'comment_changed'>, run: Run): Promise<void> {
  const { approvals = [] } = (await run.state()) ?? {};
  if (!approvals.some(({ source }) => source.from === 'comment' && source.comment_id === comment_id)) return;
  finishSoon(run, 'check');
}

/** Commands on a run that is known to be ours are acknowledged at once, others when they are recorded. */
async function acknowledgeAndRecord(event: Told, run: Run): Promise<void> {
  const { log } = run.services;
  if (event.type === 'comment_changed')
    await orTell(log, `look whether a comment approves ${run.name}`, () => checkIfApproving(event, run));
  if (event.type !== 'said') return record(event, run);
  const isOurs = () => run.newest !== undefined;
  const wasOurs = isOurs();
  if (wasOurs) acknowledge(run.repository, event, log);
  await keepClick(event, run);
  await record(event, run);
  if (!wasOurs && isOurs()) acknowledge(run.repository, event, log);
}

/** If the ledger is lost, the author of a command is told how to continue. */
async function record(event: Told, run: Run): Promise<void> {
  const recording = () =>
    missedReopening(event, run)
      .then(() => run.record(event))
      .then((recorded) => requireNoLoss(event, run, recorded))
      .catch((fault: unknown) => answerLoss(fault, event, run));
  const recorded = mayConcernApproval(event) ? recordOrWithhold(recording, run, event) : recording();
  await recorded.catch(async (fault: unknown) => {
    await tellMachineFault(fault, event, run);
    throw fault;
  });
}

/** Whoever wants to go on with a run that has ended may have reopened it a moment ago. */
async function missedReopening(event: Told, run: Run): Promise<void> {
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
  runs: RepositoryRuns,
  { startOptions = {}, isLookedFor = false }: Receiving,
): Promise<void> {
  if (isLookedFor && (await isStartRefused(runs, request))) return;
  const { log } = runs.services;
  acknowledge(runs.repository, request, log);
  const started = await startRun({ request, runs, startOptions });
  if (started.outcome !== 'refused') return;
  const { refusal } = started;
  // Only an owner can grant it, whoever gets the reply.
  if (refusal.why === 'missing_permission')
    log.error(`could not start a run in ${runs.name}: ${refusal.message}`);
  await replyStartRefused(runs, request, refusal);
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
  log: Log,
): void {
  if (source?.from !== 'comment' || !isAlwaysAnswered(by.role)) return;
  if (repository.octokit.waitingWrites() > maxWaiting) return;
  const { comment_id } = source;
  const reacting = () => react(repository.octokit, repository, { comment_id, content: 'eyes' });
  void orTell(log, `acknowledge comment ${comment_id}`, reacting);
}
