import { settledAsk } from '../../words/index.ts';
import type { LedgerTip } from '../../words/withheld-mark.ts';
import { isFinalRefusal, unless } from '../octokit/fault.ts';
import { Comments, type Mark } from '../write/comments.ts';
import type { PullTarget } from '../write/pull-target.ts';
import { CheckRuns } from './check-runs.ts';
import { Pull } from './pull.ts';
import { ReplyQueue } from './reply-queue.ts';
import type { Ask, View } from './view.ts';

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

/** `since`: when the run started, ISO 8601: none of its comments is older. */
export function openWriter(target: PullTarget, since: string, tip: () => LedgerTip | undefined): PullWriter {
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

/** A conversation may be unlocked again. */
const againMs = 60 * 60_000;

/**
 * The comments that ask a human, and then show how that was settled. Nothing else depends on them: the check
 * runs have the buttons, commands count without them. So what GitHub refuses for good, such as in a
 * conversation that is locked, is logged and left for an hour.
 */
class Asks {
  readonly #target: PullTarget;
  readonly #comments: Comments;
  /** What was refused, and when; another text for the same comment is tried at once. */
  readonly #refused = new Map<string, number>();

  constructor(target: PullTarget, comments: Comments) {
    this.#target = target;
    this.#comments = comments;
  }

  /** Throws what may succeed later. */
  async render({ ask, settled }: Pick<View, 'ask' | 'settled'>): Promise<void> {
    await this.#comments.yieldToOthers();
    if (ask !== null) await this.#ask(ask);
    for (const interaction of settled) {
      const change = (asked: string) => settledAsk(asked, interaction);
      const settle = () => this.#comments.update(markOf(interaction.id), change);
      await this.#unlessRefused(`show how ${interaction.id} was settled`, settle);
    }
  }

  #ask({ interaction, text }: Ask): Promise<void> {
    const createOrUpdate = () => this.#comments.createOrUpdate(markOf(interaction), text);
    const asking = async () => {
      const done = createOrUpdate().then(() => true);
      // 404: someone has deleted it; the next try looks first, and posts it again.
      if (!(await unless(done, 404))) await createOrUpdate();
    };
    return this.#unlessRefused(`ask for ${interaction}`, asking, text);
  }

  async #unlessRefused(doing: string, write: () => Promise<void>, text = ''): Promise<void> {
    const key = `${doing}\n${text}`;
    const now = this.#target.clock.now().getTime();
    if (now - (this.#refused.get(key) ?? Number.NEGATIVE_INFINITY) < againMs) return;
    await write().catch((fault: unknown) => {
      if (!isFinalRefusal(fault)) throw fault;
      this.#refused.set(key, now);
      this.#target.log.warn(`${this.#target.run.id}: GitHub does not let us ${doing}: ${fault.message}`);
    });
  }
}

function markOf(id: string): Mark {
  return { kind: 'ask', id };
}
