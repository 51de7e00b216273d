import { type PullFacts, readPull } from '../../github/read/pulls.ts';
import { renderedSeq } from '../../github/show/recovered-run.ts';
import { showPaused } from '../../github/show/show-paused.ts';
import { type Loss, lostText } from '../../github/words/lost-ledger.ts';
import { Comments } from '../../github/write/comments.ts';
import type { PullTarget } from '../../github/write/pull-target.ts';
import { LedgerBroken, LedgerPutBack, LedgerTooNew, LedgerVanished } from '../../ledger/errors.ts';
import { targetOf } from '../comment-target.ts';
import type { Run } from '../run.ts';
import type { Services } from '../services.ts';

/** How a ledger was lost, if that is what the error means. */
export function lossFrom(fault: unknown): Loss | undefined {
  if (fault instanceof LedgerTooNew) return 'too_new';
  if (fault instanceof LedgerVanished) return 'vanished';
  if (fault instanceof LedgerPutBack) return 'put_back';
  return fault instanceof LedgerBroken ? 'unreadable' : undefined;
}

/** A run whose ledger is lost, with its pull request. */
export interface LostRun {
  readonly run: Run;
  readonly loss: Loss;
  readonly pull: PullFacts;
  readonly target: PullTarget;
}

/** Undefined if another bot opened the pull request: then the run belongs to another presenter. */
export async function lostRun(run: Run, loss: Loss, services: Services): Promise<LostRun | undefined> {
  const { repository, number } = run;
  const { octokit, own } = repository;
  const pull = await readPull(octokit, repository, number);
  if (pull.author.endsWith('[bot]') && pull.author !== own.login) return undefined;
  return { run, loss, pull, target: targetOf(repository, number, services) };
}

/** Stops the work and shows the run as paused; the body, needed to restore the run, stays unchanged. */
export async function pauseLostRun({ run, target, loss }: LostRun): Promise<void> {
  if (loss === 'too_new') return;
  run.halt();
  await showPaused(target);
}

/** Replies only once for each cause. */
export async function replyOnce({ target, pull }: LostRun, cause: string, text: string): Promise<void> {
  const comments = new Comments(target, pull.created_at);
  await comments.create({ kind: 'reply', id: `${cause}:reply` }, async () => text);
}

/** Reports the loss on the pull request, once for each loss. */
export async function announceLoss(lost: LostRun): Promise<void> {
  await pauseLostRun(lost);
  await replyOnce(lost, lossId(lost), lostText(lost.loss, lost.run.number));
}

/** Losses are distinguished by the state that the pull request showed when the loss was found. */
export function lossId({ run, loss, pull }: LostRun): string {
  return `ledger:${loss}:${renderedSeq(pull.body, { id: run.name, number: run.number })}`;
}
