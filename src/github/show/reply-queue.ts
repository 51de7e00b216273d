import { lengthOf, mostBody } from '../words/length.ts';
import type { Comments, NewComment } from '../write/comments.ts';

/** Up to this many replies that wait together are comments of their own. */
const mostApart = 3;

/** Room for the markers of everything that is said in one comment. */
const mostTogether = mostBody / 2;

interface Waiting {
  readonly reply: NewComment;
  readonly done: () => void;
  readonly failed: (fault: unknown) => void;
}

/**
 * Replies on one pull request, one comment at a time. What waits meanwhile goes out together: 200 commands at
 * once would be 200 comments otherwise, and GitHub takes 500 writes an hour.
 */
export class ReplyQueue {
  readonly #comments: Comments;
  #waiting: Waiting[] = [];
  #running = false;

  constructor(comments: Comments) {
    this.#comments = comments;
  }

  /** Resolves when the reply is there, in a comment of its own or with others. */
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
      await this.#comments.onceTogether(some.map(({ reply }) => reply));
      for (const { done } of some) done();
    } catch (fault) {
      for (const { failed } of some) failed(fault);
    }
  }
}

/** What goes into one comment each, in order. */
function portionsOf(all: readonly Waiting[]): readonly (readonly Waiting[])[] {
  if (all.length <= mostApart) return all.map((each) => [each]);
  const portions: Waiting[][] = [[]];
  let length = 0;
  for (const each of all) {
    const more = lengthOf(each.reply.text);
    if (length > 0 && length + more > mostTogether) {
      portions.push([]);
      length = 0;
    }
    portions.at(-1)?.push(each);
    length += more;
  }
  return portions;
}
