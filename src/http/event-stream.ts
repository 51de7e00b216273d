import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/**
 * Bounds of what listeners can take of the process: how many there are, the least time between two events of
 * which only the newest counts, and how soon something is sent, because proxies close connections on which
 * nothing is.
 */
const usual = { maxListeners: 100, everyMs: 250, heartbeatMs: 15_000 };
export type StreamLimits = Readonly<typeof usual>;

/** What a listener is told. `data` must be something that JSON can say. */
export interface StreamEvent {
  /** What the listener says when it comes back, to be told only what follows. */
  readonly id?: string;
  readonly event: string;
  readonly data: unknown;
}

/** The listeners of one kind of server-sent events. */
export class EventStreams {
  readonly #limits: StreamLimits;
  readonly #open = new Set<EventStream>();
  #isClosed = false;

  constructor(limits: Partial<StreamLimits> = {}) {
    this.#limits = { ...usual, ...limits };
  }

  /** Whether one more can listen. */
  get hasRoom(): boolean {
    return !this.#isClosed && this.#open.size < this.#limits.maxListeners;
  }

  /** Answers with a stream of events, which nobody on the way may keep back. */
  open(response: ServerResponse, headers: Readonly<Record<string, string>>): EventStream {
    const own = {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      connection: 'close',
    };
    response.writeHead(200, { ...headers, ...own });
    const stream = new EventStream(response, this.#limits);
    this.#open.add(stream);
    stream.onEnd(() => this.#open.delete(stream));
    return stream;
  }

  /** Ends everything, with this event if there is one: the server cannot stop while somebody listens. */
  close(last?: StreamEvent): void {
    this.#isClosed = true;
    for (const stream of this.#open) stream.end(last);
  }
}

/** One listener, who may read slowly or be gone. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #everyMs: number;
  readonly #gone = new AbortController();
  #newest: (() => StreamEvent | undefined) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  #isLate = false;

  constructor(response: ServerResponse, { everyMs, heartbeatMs }: Omit<StreamLimits, 'maxListeners'>) {
    this.#response = response;
    this.#everyMs = everyMs;
    const heartbeat = setInterval(() => this.#beat(), heartbeatMs);
    this.onEnd(() => {
      this.#gone.abort();
      clearInterval(heartbeat);
      clearTimeout(this.#timer);
    });
    response.on('drain', () => this.#schedule());
    response.write('retry: 3000\n\n');
  }

  /** Whether nothing more can be told. */
  get hasEnded(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  /** Also if it has ended already. */
  onEnd(ended: () => void): void {
    if (this.#gone.signal.aborted) ended();
    else this.#response.once('close', ended);
  }

  /** Waits until the listener has read enough of what it was told; resolves to whether it is still there. */
  async hasRoom(): Promise<boolean> {
    const { signal } = this.#gone;
    while (!this.hasEnded && this.#response.writableNeedDrain)
      await once(this.#response, 'drain', { signal }).catch(() => undefined); // it is gone
    return !this.hasEnded;
  }

  send({ id, event, data }: StreamEvent): void {
    if (this.hasEnded) return;
    const named = id === undefined ? '' : `id: ${id}\n`;
    this.#response.write(`${named}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /**
   * Tells the newest of what changes often, and never what came before, so that nothing is kept for one that
   * reads slowly: who still has to read the last event gets the next one when that is done.
   */
  sendNewest(newest: () => StreamEvent | undefined): void {
    this.#newest = newest;
    this.#schedule();
  }

  /** With a last event for one that reads. */
  end(last?: StreamEvent): void {
    if (this.#response.writableNeedDrain) return void this.#response.destroy();
    if (last !== undefined) this.send(last);
    this.#response.end();
  }

  #schedule(): void {
    if (this.#newest === undefined || this.hasEnded) return;
    const waitMs = this.#sentAt + this.#everyMs - performance.now();
    this.#timer ??= setTimeout(() => this.#sendNewest(), Math.max(waitMs, 0));
  }

  #sendNewest(): void {
    this.#timer = undefined;
    if (this.hasEnded || this.#response.writableNeedDrain) return;
    const event = this.#newest?.();
    this.#newest = undefined;
    if (event === undefined) return;
    this.#sentAt = performance.now();
    this.send(event);
  }

  /** One that has read nothing between two beats is gone, or as good as that. */
  #beat(): void {
    const hasUnread = this.#response.writableEnded || this.#response.writableNeedDrain;
    if (hasUnread && this.#isLate) this.#response.destroy();
    else if (!hasUnread) this.#response.write(':\n\n');
    this.#isLate = hasUnread;
  }
}
