import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ProgressBoard } from '../runs/progress-board.ts';
import type { Progress } from '../steering/progress.ts';
import { type Exchange, startEvents } from './response.ts';
import { newsOf } from './views/news.ts';

/**
 * Bounds of what listeners can take of the process: how many there are, the least time between two events for
 * one of them, and how soon something is sent, because proxies close connections on which nothing is.
 */
const usual = { maxListeners: 100, everyMs: 250, heartbeatMs: 15_000 };
type FeedLimits = Readonly<typeof usual>;

/**
 * What agents are doing, as server-sent events. A listener is told the newest and never what came before, so
 * nothing is kept for one that reads slowly or comes back: the id of an event is a digest of what it says,
 * and whoever knows it already is told nothing.
 */
export class ProgressFeed {
  readonly #board: ProgressBoard | undefined;
  readonly #limits: FeedLimits;
  readonly #listeners = new Set<ServerResponse>();
  #closed = false;

  constructor(board: ProgressBoard | undefined, limits: Partial<FeedLimits> = {}) {
    this.#board = board;
    this.#limits = { ...usual, ...limits };
  }

  /** Whether one more can listen. */
  get hasRoom(): boolean {
    return !this.#closed && this.#listeners.size < this.#limits.maxListeners;
  }

  /** Tells the other end about a run until one of both goes. */
  open({ request, response }: Exchange, run: string): void {
    if (response.destroyed) return;
    startEvents({ request, response });
    const events = new Events(response, this.#limits, request.headers['last-event-id']);
    const unwatch = this.#board?.watch(run, (progress) => events.tell(progress));
    this.#listeners.add(response);
    response.once('close', () => {
      this.#listeners.delete(response);
      unwatch?.();
      events.end();
    });
    events.tell(this.#board?.of(run));
  }

  /** Ends everything: the server cannot stop while somebody listens. */
  close(): void {
    this.#closed = true;
    for (const response of this.#listeners) {
      if (response.writableNeedDrain) response.destroy();
      else response.end();
    }
  }
}

/** One listener. */
class Events {
  readonly #response: ServerResponse;
  readonly #everyMs: number;
  readonly #heartbeat: NodeJS.Timeout;
  #newest: { readonly progress: Progress | undefined } | undefined;
  #lastId: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  #isLate = false;

  constructor(response: ServerResponse, limits: FeedLimits, lastId: string | string[] | undefined) {
    this.#response = response;
    this.#everyMs = limits.everyMs;
    this.#lastId = typeof lastId === 'string' ? lastId : undefined;
    this.#heartbeat = setInterval(() => this.#beat(), limits.heartbeatMs);
    response.on('drain', () => this.#schedule());
    response.write('retry: 3000\n\n');
  }

  tell(progress: Progress | undefined): void {
    this.#newest = { progress };
    this.#schedule();
  }

  end(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#timer);
    this.#newest = undefined;
  }

  #schedule(): void {
    if (this.#newest === undefined) return;
    const waitMs = this.#sentAt + this.#everyMs - performance.now();
    this.#timer ??= setTimeout(() => this.#send(), Math.max(waitMs, 0));
  }

  /** Whoever still has to read the last event gets the next one when that is done. */
  #send(): void {
    this.#timer = undefined;
    if (this.#newest === undefined || this.#response.writableNeedDrain) return;
    const data = JSON.stringify(newsOf(this.#newest.progress ?? null).text);
    this.#newest = undefined;
    const id = createHash('sha256').update(data).digest('base64url').slice(0, 16);
    if (id === this.#lastId) return;
    this.#lastId = id;
    this.#sentAt = performance.now();
    this.#response.write(`id: ${id}\nevent: progress\ndata: ${data}\n\n`);
  }

  /** One that has read nothing between two beats is gone, or as good as that. */
  #beat(): void {
    const { writableNeedDrain } = this.#response;
    if (writableNeedDrain && this.#isLate) this.#response.destroy();
    else if (!writableNeedDrain) this.#response.write(':\n\n');
    this.#isLate = writableNeedDrain;
  }
}
