import { mention } from '../../github/words/index.ts';
import { lostText, mayNotRestoreText } from '../../github/words/lost-ledger.ts';
import { startRefusalText } from '../../github/words/starting.ts';
import { react } from '../../github/write/reactions.ts';
import type { Event, EventOf } from '../../steering/event.ts';
import { mayRestore } from '../../steering/policy.ts';
import { isAlwaysAnswered } from '../../steering/reply-limit.ts';
import { messageOf } from '../faults.ts';
import type { BodyEdit, Run } from '../run.ts';
import type { Services } from '../services.ts';
import { lossFrom } from './loss.ts';
import { causeOf, type LostRun, lostRun, pauseLostRun, replyOnce } from './lost-run.ts';
import { restoreRun } from './restore.ts';

/** Tells a run what happened. Where its ledger is lost, whoever spoke is told that, and how to go on. */
export async function recordEvent(liveRun: Run, event: Event, services: Services): Promise<void> {
  const lost = await lostIn(liveRun, () => liveRun.record(event), services);
  if (lost !== undefined) await answer(event, lost, services);
}

/** Puts back what an edit of the body removed; where the ledger is lost the body stays as it is. */
export async function repairBody(liveRun: Run, edit: BodyEdit, services: Services): Promise<void> {
  const lost = await lostIn(liveRun, () => liveRun.repairBody(edit), services);
  if (lost !== undefined) await pauseLostRun(lost);
}

/** The run, if doing this shows that its ledger is lost, and that it is for us to say so. */
async function lostIn(
  liveRun: Run,
  work: () => Promise<unknown>,
  services: Services,
): Promise<LostRun | undefined> {
  try {
    await work();
    return undefined;
  } catch (fault) {
    const loss = lossFrom(fault);
    if (loss === undefined) throw fault;
    services.log.warn(`could not go on with ${liveRun.name}: ${messageOf(fault)}`);
    return lostRun(liveRun, loss, services);
  }
}

/** Only people are answered: what happened on GitHub is asked afresh when the ledger is restored. */
async function answer(event: Event, lost: LostRun, services: Services): Promise<void> {
  if (event.type !== 'said' || event.by.bot) return pauseLostRun(lost);
  const { liveRun, loss } = lost;
  if (event.command.type !== 'resume' || loss === 'too_new') {
    return refuseCommand(event, lost, lostText(loss, liveRun.number));
  }
  if (!mayRestore(event.by)) {
    return refuseCommand(event, lost, mayNotRestoreText(loss, liveRun.number, event.by.role));
  }
  const refusal = await restoreRun({ liveRun, said: event, lost: loss, services });
  if (refusal !== undefined) return refuseCommand(event, lost, startRefusalText(refusal));
  await liveRun.record(event);
}

/** Without a ledger nobody can count, so whoever may not write is answered once for each loss. */
async function refuseCommand(
  { id, by, source }: EventOf<'said'>,
  lost: LostRun,
  text: string,
): Promise<void> {
  await pauseLostRun(lost);
  const cause = isAlwaysAnswered(by.role) ? id : `${causeOf(lost)}:${by.login}`;
  await replyOnce(lost, cause, `${mention(by.login)}: ${text}`);
  if (source.from !== 'comment') return;
  const { comment_id } = source;
  const { repository } = lost.liveRun;
  await react(repository.octokit, repository, { comment_id, content: 'confused' });
}
