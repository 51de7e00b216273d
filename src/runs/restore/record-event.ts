import { mention } from '../../github/words/index.ts';
import { lostText, mayNotRestoreText } from '../../github/words/lost-ledger.ts';
import { startRefusalText } from '../../github/words/starting.ts';
import type { Event, EventOf } from '../../steering/event.ts';
import { mayRestore } from '../../steering/policy.ts';
import { isAlwaysAnswered } from '../../steering/reply-limit.ts';
import type { BodyEdit } from '../effects.ts';
import { messageOf } from '../faults.ts';
import type { Lane } from '../live-run.ts';
import type { Workshop } from '../services.ts';
import { lossFrom } from './loss.ts';
import { causeOf, hold, type LostRun, lostRun, sayOnce } from './lost-run.ts';
import { restoreRun } from './restore.ts';

/** Tells a run what happened. Where its ledger is lost, whoever spoke is told that, and how to go on. */
export async function tellRun(lane: Lane, event: Event, workshop: Workshop): Promise<void> {
  const lost = await lostIn(lane, () => lane.tell(event), workshop);
  if (lost !== undefined) await answer(event, lost, workshop);
}

/** Puts back what an edit of the body removed; where the ledger is lost the body stays as it is. */
export async function mendRun(lane: Lane, edit: BodyEdit, workshop: Workshop): Promise<void> {
  const lost = await lostIn(lane, () => lane.bodyEdited(edit), workshop);
  if (lost !== undefined) await hold(lost);
}

/** The run, if doing this shows that its ledger is lost, and that it is for us to say so. */
async function lostIn(
  lane: Lane,
  work: () => Promise<unknown>,
  workshop: Workshop,
): Promise<LostRun | undefined> {
  try {
    await work();
    return undefined;
  } catch (fault) {
    const loss = lossFrom(fault);
    if (loss === undefined) throw fault;
    workshop.log.warn(`could not go on with ${lane.name}: ${messageOf(fault)}`);
    return lostRun(lane, loss, workshop);
  }
}

/** Only people are answered: what happened on GitHub is asked afresh when the ledger is restored. */
async function answer(event: Event, lost: LostRun, workshop: Workshop): Promise<void> {
  if (event.type !== 'said' || event.by.bot) return hold(lost);
  const { lane, loss } = lost;
  if (event.command.type !== 'resume' || loss === 'too_new') {
    return turnDown(event, lost, lostText(loss, lane.number));
  }
  if (!mayRestore(event.by)) {
    return turnDown(event, lost, mayNotRestoreText(loss, lane.number, event.by.role));
  }
  const refusal = await restoreRun({ lane, said: event, lost: loss, workshop });
  if (refusal !== undefined) return turnDown(event, lost, startRefusalText(refusal));
  await lane.tell(event);
}

/** Without a ledger nobody can count, so whoever may not write is answered once for each loss. */
async function turnDown({ id, by, source }: EventOf<'said'>, lost: LostRun, text: string): Promise<void> {
  await hold(lost);
  const cause = isAlwaysAnswered(by.role) ? id : `${causeOf(lost)}:${by.login}`;
  await sayOnce(lost, cause, `${mention(by.login)}: ${text}`);
  if (source.from !== 'comment') return;
  const { octokit, owner, name: repo } = lost.lane.repository;
  await octokit.rest.reactions.createForIssueComment({
    ...{ owner, repo, comment_id: source.comment_id },
    content: 'confused',
  });
}
