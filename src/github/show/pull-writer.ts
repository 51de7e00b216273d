import { settledAsk } from '../../words/index.ts';
import { lengthOf, maxBody } from '../../words/parts/sanitize.ts';
import type { LedgerTip } from '../marks.ts';
import { isFinalRefusal, unless } from '../octokit/fault.ts';
import type { PullTarget } from '../write/pull-target.ts';
import { Comments, type Mark, type NewComment } from '../write/write-comments.ts';
import { CheckRuns } from './check-runs.ts';
import { Pull } from './pull.ts';
import type { Ask, View } from './view.ts';

/** The writers of one pull request, each with what it knows of it. */
export type PullWriter = ReturnType<typeof openWriter>;

/** `since`: when the run started, ISO 8601: none of its comments is older. */
export function openWriter(target: PullTarget, since: string, tip: () => LedgerTip | undefined) {
  const comments = new Comments(target, since);
  const combines = target.run.presenter === 'app';
  return {
    target,
    comments,
    asks: new Asks(target, comments),
    replies: new ReplyQueue(comments, { combines, last: false }),
    /** To people without write access. */
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

/** Up to this many waiting replies get a comment each. */
const maxApart = 3;

/** A marker's own text, and the line between two replies. */
const perReply = 60;

interface Waiting {
  readonly reply: NewComment;
  readonly done: () => void;
  readonly failed: (fault: unknown) => void;
}

interface ReplyQueueOptions {
  /** Not for the Action: if two of its jobs answer a command, one deletes its comment again. */
  readonly combines: boolean;
  /** Its replies come after all other writes. */
  readonly last: boolean;
}

/**
 * Posts replies on one pull request, one comment at a time; replies that wait meanwhile share a comment.
 * Otherwise 200 simultaneous commands would make 200 comments, and GitHub allows 500 writes per hour.
 */
class ReplyQueue {
  readonly #comments: Comments;
  readonly #options: ReplyQueueOptions;
  #waiting: Waiting[] = [];
  #running = false;

  constructor(comments: Comments, options: ReplyQueueOptions) {
    this.#comments = comments;
    this.#options = options;
  }

  /** Resolves when the reply is posted, in a comment of its own or with others. */
  add(reply: NewComment): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ reply, done, failed });
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      const all = this.#waiting;
      this.#waiting = [];
      for (const some of this.#portionsOf(all)) await this.#write(some);
    }
    this.#running = false;
  }

  #portionsOf(all: readonly Waiting[]): readonly (readonly Waiting[])[] {
    const isFew = all.length <= maxApart;
    return isFew || !this.#options.combines ? all.map((each) => [each]) : portionsOf(all);
  }

  async #write(some: readonly Waiting[]): Promise<void> {
    try {
      const { last } = this.#options;
      await this.#comments.createTogether(
        some.map(({ reply }) => reply),
        { last },
      );
      for (const { done } of some) done();
    } catch (fault) {
      for (const { failed } of some) failed(fault);
    }
  }
}

/** The replies of each comment, in order. */
function portionsOf(all: readonly Waiting[]): readonly (readonly Waiting[])[] {
  const portions: Waiting[][] = [[]];
  let length = 0;
  for (const each of all) {
    const more = lengthOf(each.reply.text) + each.reply.mark.id.length + perReply;
    if (length > 0 && length + more > maxBody) {
      portions.push([]);
      length = 0;
    }
    portions.at(-1)?.push(each);
    length += more;
  }
  return portions;
}
