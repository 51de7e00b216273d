import { type PullFacts, readPull } from '../../github/read/pulls.ts';
import { drawnFrom } from '../../github/show/block-memory.ts';
import { showHeld } from '../../github/show/show-paused.ts';
import { type Loss, lostText } from '../../github/words/lost-ledger.ts';
import { Comments } from '../../github/write/comments.ts';
import type { PullTarget } from '../../github/write/pull-target.ts';
import { targetOf } from '../comment-target.ts';
import type { Run } from '../run.ts';
import type { Services } from '../services.ts';

/** A run whose ledger is lost, as its pull request still shows it. */
export interface LostRun {
  readonly liveRun: Run;
  readonly loss: Loss;
  readonly pull: PullFacts;
  readonly target: PullTarget;
}

/** Undefined where it is not for us to speak: another presenter, a bot as we are, opened the pull request. */
export async function lostRun(liveRun: Run, loss: Loss, services: Services): Promise<LostRun | undefined> {
  const { repository, number } = liveRun;
  const { octokit, own } = repository;
  const pull = await readPull(octokit, repository, number);
  if (pull.author.endsWith('[bot]') && pull.author !== own.login) return undefined;
  return { liveRun, loss, pull, target: targetOf(repository, number, services) };
}

/** Stops what is under way and shows the run as paused; its body, which is all it remembers, stays. */
export async function pauseLostRun({ liveRun, target, loss }: LostRun): Promise<void> {
  if (loss === 'too_new') return;
  liveRun.halt();
  await showHeld(target);
}

/** Says it once for each cause, however often it is asked for. */
export async function replyOnce({ target, pull }: LostRun, cause: string, text: string): Promise<void> {
  const comments = new Comments(target, pull.created_at);
  await comments.once({ kind: 'reply', id: `${cause}:reply` }, async () => text);
}

/** Tells everybody on the pull request, once for each loss. */
export async function announceLoss(lost: LostRun): Promise<void> {
  await pauseLostRun(lost);
  await replyOnce(lost, causeOf(lost), lostText(lost.loss, lost.liveRun.number));
}

/** One loss is told from the next by what the pull request was drawn from when it was found. */
export function causeOf({ liveRun, loss, pull }: LostRun): string {
  return `ledger:${loss}:${drawnFrom(pull.body, { id: liveRun.name, number: liveRun.number })}`;
}
