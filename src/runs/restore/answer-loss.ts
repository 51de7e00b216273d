import type { Told } from '../../github/listen/heard.ts';
import { unlessGone } from '../../github/octokit/fault.ts';
import type { PullFacts } from '../../github/read/pulls.ts';
import { repoParams } from '../../github/read/repository-ref.ts';
import { humanText, readBlock } from '../../github/show/block.ts';
import { react } from '../../github/write/write-comments.ts';
import { LedgerVanished } from '../../ledger/errors.ts';
import { webOf } from '../../repository/repository.ts';
import { mayAdoptAnew } from '../../steering/approval/authorization.ts';
import { isAlwaysAnswered } from '../../steering/approval/reply-limit.ts';
import type { Task } from '../../steering/shapes/task.ts';
import type { EventOf } from '../../steering/state/event.ts';
import type { Recorded } from '../../steering/state/ports.ts';
import { addressed } from '../../words/index.ts';
import { lostText, mayNotAdoptText } from '../../words/own-faults.ts';
import { type StartRefusal, startRefusalText } from '../../words/start-texts.ts';
import {
  drawnBefore,
  type LostRun,
  lostFrom,
  pauseLostRun,
  recordedLoss,
  renderedSeq,
  replyOnce,
} from '../run/lost-run.ts';
import type { Run } from '../run/run.ts';
import { identityOf } from '../start/begin-ledger.ts';
import { signsCommits } from '../start/claim.ts';
import { taskOf } from '../start/requested-task.ts';

/**
 * Answers the author of a command that could not be recorded. Rethrows what is not the loss of a ledger: it
 * is tried again.
 */
export async function answerLoss(fault: unknown, event: Told, run: Run): Promise<void> {
  const lost = await lostFrom(fault, run, { isBegunAnew: beginsAnew(event) });
  if (lost !== undefined) await answer(event, lost);
}

/**
 * Where there is no ledger, a command is nothing to us. But someone may have removed all that is looked at
 * every time; so for /resume of someone who may have a run begun anew, every former head is looked at. Throws
 * `LedgerVanished` if this was a run.
 */
export async function requireNoLoss(event: Told, run: Run, { state }: Recorded): Promise<void> {
  if (state !== undefined || !beginsAnew(event)) return;
  const { seq } = await drawnBefore(run, await run.pull());
  if (seq > 0) throw new LedgerVanished(`ledger of #${run.number}: it no longer exists`);
}

/** Shows the run as paused and leaves its body alone; rethrows what is not the loss of a ledger. */
export async function pauseIfLost(fault: unknown, run: Run): Promise<void> {
  const lost = await lostFrom(fault, run);
  if (lost !== undefined) await pauseLostRun(lost);
}

function beginsAnew(event: Told): boolean {
  return event.type === 'said' && event.command.type === 'resume' && mayAdoptAnew(event.by);
}

/** Only people get an answer; other events are read from GitHub again when the run begins anew. */
async function answer(event: Told, lost: LostRun): Promise<void> {
  if (event.type !== 'said' || event.by.bot) return pauseLostRun(lost);
  const { run, found } = lost;
  if (event.command.type !== 'resume' || found.loss === 'too_new') {
    return refuseCommand(event, lost, { text: lostText(found, run.number), reports: true });
  }
  if (!mayAdoptAnew(event.by)) {
    return refuseCommand(event, lost, { text: mayNotAdoptText(found, run.number, event.by.role) });
  }
  const refusal = await adoptAnew(event, lost);
  if (refusal === undefined) return;
  await refuseCommand(event, lost, { text: startRefusalText(refusal, webOf(run.repository)) });
}

interface LossReply {
  readonly text: string;
  /** Whether nothing is left to report about the loss. */
  readonly reports?: boolean;
}

/** Without a ledger answers cannot be counted there: people without write access get one for each loss. */
async function refuseCommand(
  event: EventOf<'said'>,
  lost: LostRun,
  { text, reports = false }: LossReply,
): Promise<void> {
  const { id, by, source } = event;
  const { repository, services } = lost.run;
  await pauseLostRun(lost);
  if (!services.strangers.mayAnswer(repository.id, event)) return;
  const last = !isAlwaysAnswered(by.role);
  const ofOne = last ? `${lost.id}:${by.login}` : id;
  const once = { cause: ofOne, last, reports: reports && !last };
  await replyOnce(lost, once, addressed(by.login, text));
  if (source.from !== 'comment') return;
  const { comment_id } = source;
  await react(repository.octokit, repository, { comment_id, content: 'confused', last });
}

/**
 * Begins the run of a pull request anew after its ledger was lost; idempotent. Nothing is read back: the task
 * is what GitHub shows now, which the reply quotes, and the people are unknown. Returns the reason if it is
 * not possible.
 */
async function adoptAnew(
  { id, at, by, source }: EventOf<'said'>,
  lost: LostRun,
): Promise<StartRefusal | undefined> {
  const { run, pull } = lost;
  if (pull.from_fork) return { why: 'fork' };
  if (!pull.open) return { why: 'pull_closed' };
  const { base_ref: base, default_branch } = pull;
  const reading = await run.readSettings({ base, default_branch });
  if (reading.outcome === 'misconfigured') return { why: 'misconfigured', reading };
  const issue = await linkedIssue(run, pull);
  const { settings } = reading;
  const signs = await signsCommits(run.repository, { base, settings, branch: pull.head_ref });
  const branch = { branch: pull.head_ref, base, head: pull.head_sha };
  await run.beginAnew({
    ...{ type: 'run_started', id, at, by, source, settings },
    run: identityOf(run, { ...branch, issue: issue?.number ?? null, adopted: true }),
    task: taskNow(run, pull, issue),
    people_unknown: true,
    ...(signs && { signs }),
    lost: { how: recordedLoss(lost.found), seq: await highestSeq(lost) },
  });
  return undefined;
}

/** More than any run can have: whoever writes another number into a block that is not sealed means harm. */
const maxSeq = 1_000_000;

/** What is drawn with a lower number than what is there is taken for old. */
async function highestSeq({ run, pull }: LostRun): Promise<number> {
  const { seals } = run.services;
  const drawn = await drawnBefore(run, pull);
  const inBody =
    seals === undefined ? (readBlock(pull.body, run.name)?.seq ?? 0) : renderedSeq(pull.body, run);
  return Math.max(drawn.seq, run.newest?.seq ?? 0, inBody < maxSeq ? inBody : 0);
}

/** By the words of our own description, which anyone may have changed who can write: the reply quotes it. */
async function linkedIssue({ repository }: Run, { body, created_at }: PullFacts) {
  const [, named] = /\b(?:closes|part of) #(\d{1,9})\b/i.exec(body) ?? [];
  if (named === undefined) return undefined;
  const place = { ...repoParams(repository), issue_number: Number(named) };
  const found = await unlessGone(() => repository.octokit.rest.issues.get(place), created_at);
  return found?.data.pull_request === undefined ? found?.data : undefined;
}

type Issue = Awaited<ReturnType<typeof linkedIssue>>;

function taskNow(
  { repository, number, name }: Run,
  { title, body, base_ref }: PullFacts,
  issue: Issue,
): Task {
  const text = issue === undefined ? `${title}\n\n${humanText(body, name)}` : '';
  const linked = issue && { number: issue.number, title: issue.title, body: issue.body ?? '', open: true };
  const request = { cause: `pull-${number}`, issue: linked ?? null, text };
  return taskOf(request, `${repository.owner}/${repository.name}`, base_ref);
}
