import { lengthOf, maxBody } from '../../words/parts/sanitize.ts';
import type { Comments, NewComment } from '../write/comments.ts';

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
export class ReplyQueue {
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
