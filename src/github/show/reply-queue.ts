import { lengthOf, maxBody } from '../words/length.ts';
import type { Comments, NewComment } from '../write/comments.ts';

/** Up to this many waiting replies get a comment each. */
const maxApart = 3;

/** Leaves room for the markers of all replies in one comment. */
const maxTogether = maxBody / 2;

interface Waiting {
  readonly reply: NewComment;
  readonly done: () => void;
  readonly failed: (fault: unknown) => void;
}

/**
 * Posts replies on one pull request, one comment at a time; replies that wait meanwhile share a comment.
 * Otherwise 200 simultaneous commands would make 200 comments, and GitHub allows 500 writes per hour.
 */
export class ReplyQueue {
  readonly #comments: Comments;
  #waiting: Waiting[] = [];
  #running = false;

  constructor(comments: Comments) {
    this.#comments = comments;
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
      for (const some of portionsOf(all)) await this.#write(some);
    }
    this.#running = false;
  }

  async #write(some: readonly Waiting[]): Promise<void> {
    try {
      await this.#comments.createTogether(some.map(({ reply }) => reply));
      for (const { done } of some) done();
    } catch (fault) {
      for (const { failed } of some) failed(fault);
    }
  }
}

/** The replies of each comment, in order. */
function portionsOf(all: readonly Waiting[]): readonly (readonly Waiting[])[] {
  if (all.length <= maxApart) return all.map((each) => [each]);
  const portions: Waiting[][] = [[]];
  let length = 0;
  for (const each of all) {
    const more = lengthOf(each.reply.text);
    if (length > 0 && length + more > maxTogether) {
      portions.push([]);
      length = 0;
    }
    portions.at(-1)?.push(each);
    length += more;
  }
  return portions;
}
