import { Comments } from '../write/comments.ts';
import type { PullTarget } from '../write/pull-target.ts';
import { Asks } from './asks.ts';
import { CheckRuns } from './check-runs.ts';
import { Pull } from './pull.ts';
import { ReplyQueue } from './reply-queue.ts';
import type { LedgerTip } from './seq-line.ts';

/** The writers of one pull request, each with what it knows of it. */
export interface PullWriter {
  readonly target: PullTarget;
  readonly comments: Comments;
  readonly asks: Asks;
  readonly replies: ReplyQueue;
  /** To people without write access. */
  readonly lastReplies: ReplyQueue;
  readonly checks: CheckRuns;
  readonly pull: Pull;
}

export interface WriterOptions {
  /** When the run started, ISO 8601: none of its comments is older. */
  readonly since: string;
  readonly tip: () => LedgerTip | undefined;
}

export function openWriter(target: PullTarget, { since, tip }: WriterOptions): PullWriter {
  const comments = new Comments(target, since);
  const combines = target.run.presenter === 'app';
  return {
    target,
    comments,
    asks: new Asks(target, comments),
    replies: new ReplyQueue(comments, { combines, last: false }),
    lastReplies: new ReplyQueue(comments, { combines, last: true }),
    checks: new CheckRuns(target, tip),
    pull: new Pull(target),
  };
}
