import { createHash } from 'node:crypto';
import { securityHeaders } from '../html/response.ts';
import { EventStreams, type StreamLimits } from '../http/event-stream.ts';
import type { ProgressBoard } from '../repository/progress-board.ts';
import type { Progress } from '../steering/shapes/agent-progress.ts';
import type { Exchange } from './page-response.ts';
import { newsOf } from './views/news.ts';

/**
 * What agents are doing, as server-sent events. A listener is told the newest and never what came before: the
 * id of an event is a digest of what it says, and whoever knows it already is told nothing.
 */
export class ProgressFeed {
  readonly #board: ProgressBoard | undefined;
  readonly #streams: EventStreams;

  constructor(board: ProgressBoard | undefined, limits: Partial<StreamLimits> = {}) {
    this.#board = board;
    this.#streams = new EventStreams(limits);
  }

  /** Whether one more can listen. */
  get hasRoom(): boolean {
    return this.#streams.hasRoom;
  }

  /** Tells the other end about a run until one of both goes. */
  open({ request, response }: Exchange, run: string): void {
    if (response.destroyed) return;
    const stream = this.#streams.open(response, securityHeaders);
    let known = request.headers['last-event-id'];
    const tell = (progress: Progress | undefined): void =>
      stream.sendNewest(() => {
        const data = newsOf(progress ?? null).text;
        const id = createHash('sha256').update(data).digest('base64url').slice(0, 16);
        if (id === known) return undefined;
        known = id;
        return { id, event: 'progress', data };
      });
    const unwatch = this.#board?.watch(run, tell);
    stream.onEnd(() => unwatch?.());
    tell(this.#board?.of(run));
  }

  /** Ends all streams, as nobody is told anything any more. */
  close(): void {
    this.#streams.close();
  }
}
