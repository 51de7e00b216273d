import type { Told } from '../../github/listen/heard.ts';
import { readPull } from '../../github/read/pulls.ts';
import { react } from '../../github/write/reactions.ts';
import { LedgerOfApp, LedgerVanished } from '../../ledger/errors.ts';
import { isAlwaysAnswered, mayAdoptAnew } from '../../steering/approval/authorization.ts';

import type { EventOf } from '../../steering/state/event.ts';
import type { Recorded } from '../../steering/state/ports.ts';
import { addressed } from '../../words/index.ts';
import { lostText, mayNotAdoptText } from '../../words/own-faults.ts';
import { startRefusalText } from '../../words/start-texts.ts';
import { messageOf } from '../repository/faults.ts';
import { drawnBefore } from '../run/drawn-seq.ts';
import {
  isWaitingForKey,
  type LostRun,
  lossFrom,
  lostRun,
  pauseLostRun,
  recordedLoss,
  replyOnce,
} from '../run/lost-run.ts';
import type { Run } from '../run/run.ts';
import type { Services } from '../run/services.ts';
import { webOf } from '../run/sources.ts';
import { adoptAnew } from './adopt-anew.ts';

/** Where a ledger may have been lost. */
interface LossContext {
  readonly run: Run;
  readonly services: Services;
}

/**
 * Answers the author of a command that could not be recorded. Rethrows what is not the loss of a ledger: it
 * is tried again.
 */
export async function answerLoss(fault: unknown, event: Told, context: LossContext): Promise<void> {
  const lost = await lostFrom(fault, context, event);
  if (lost !== undefined) await answer(event, lost, context.services);
}

/**
 * Where there is no ledger, a command is nothing to us. But someone may have removed all that is looked at
 * every time; so for /resume of someone who may have a run begun anew, every former head is looked at. Throws
 * `LedgerVanished` if this was a run.
 */
export async function requireNoLoss(event: Told, run: Run, { state }: Recorded): Promise<void> {
  if (state !== undefined || !beginsAnew(event)) return;
  const pull = await readPull(run.repository.octokit, run.repository, run.number);
  const { seq } = await drawnBefore(run, pull);
  if (seq > 0) throw new LedgerVanished(`ledger of #${run.number}: it no longer exists`);
}

/** Shows the run as paused and leaves its body alone; rethrows what is not the loss of a ledger. */
export async function pauseIfLost(fault: unknown, context: LossContext): Promise<void> {
  const lost = await lostFrom(fault, context);
  if (lost !== undefined) await pauseLostRun(lost);
}

/** The lost run, if we are the ones to report it. */
async function lostFrom(
  fault: unknown,
  { run, services }: LossContext,
  event?: Told,
): Promise<LostRun | undefined> {
  if (fault instanceof LedgerOfApp) return undefined;
  const found = lossFrom(fault);
  if (found === undefined || (isWaitingForKey(fault, run, services) && !beginsAnew(event))) throw fault;
  services.log.warn(`could not continue ${run.name}: ${messageOf(fault)}`);
  return lostRun(run, found, services);
}

function beginsAnew(event: Told | undefined): boolean {
  return event?.type === 'said' && event.command.type === 'resume' && mayAdoptAnew(event.by);
}

/** Only people get an answer; other events are read from GitHub again when the run begins anew. */
async function answer(event: Told, lost: LostRun, services: Services): Promise<void> {
  if (event.type !== 'said' || event.by.bot) return pauseLostRun(lost);
  const { run, found } = lost;
  if (event.command.type !== 'resume' || found.loss === 'too_new') {
    return refuseCommand(event, lost, { text: lostText(found, run.number), services, reports: true });
  }
  if (!mayAdoptAnew(event.by)) {
    return refuseCommand(event, lost, {
      text: mayNotAdoptText(found, run.number, event.by.role),
      services,
    });
  }
  const refusal = await adoptAnew({ run, event, lost: recordedLoss(found), services });
  if (refusal === undefined) return;
  await refuseCommand(event, lost, { text: startRefusalText(refusal, webOf(run.repository)), services });
}

interface LossReply {
  readonly text: string;
  readonly services: Services;
  /** Whether nothing is left to report about the loss. */
  readonly reports?: boolean;
}

/** Without a ledger answers cannot be counted there: people without write access get one for each loss. */
async function refuseCommand(
  event: EventOf<'said'>,
  lost: LostRun,
  { text, services, reports = false }: LossReply,
): Promise<void> {
  const { id, by, source } = event;
  const { repository } = lost.run;
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
