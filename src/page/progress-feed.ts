import { createHash } from 'node:crypto';
import { securityHeaders } from '../html/response.ts';
import { EventStreams, type StreamLimits } from '../http/event-stream.ts';
import type { ProgressBoard } from '../repository/progress-board.ts';
import type { Progress } from '../steering/shapes/agent-progress.ts';
import type { Exchange } from './page-response.ts';
import { newsOf } from './views/news.ts';

/**
 * How many pages one person has open at once, and how long one of them is told anything before it has to come
 * back: then it is asked anew whether that person is still signed in, and may still read the run.
 */
const usual = { maxPerPerson: 10, lastsMs: 60_000 };
type FeedLimits = Readonly<typeof usual> & StreamLimits;

/**
 * What agents are doing, as server-sent events. A listener is told the newest and never what came before: the
 * id of an event is a digest of what it says, and whoever knows it already is told nothing.
 */
export class ProgressFeed {
  readonly #board: ProgressBoard | undefined;
  readonly #limits: Partial<FeedLimits>;
  readonly #streams: EventStreams;
  /** How many streams a person has, by GitHub's number. */
  readonly #counts = new Map<number, number>();

  constructor(board: ProgressBoard | undefined, limits: Partial<FeedLimits> = {}) {
    this.#board = board;
    this.#limits = limits;
    this.#streams = new EventStreams(limits);
  }

  /** Whether this person can listen once more. */
  hasRoomFor(person: number): boolean {
    const { maxPerPerson = usual.maxPerPerson } = this.#limits;
    return this.#streams.hasRoom && (this.#counts.get(person) ?? 0) < maxPerPerson;
  }

  /** Tells a person about a run until one of both goes, or it is time to ask anew. */
  open({ request, response }: Exchange, person: number, run: string): void {
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
    const timer = setTimeout(() => stream.end(), this.#limits.lastsMs ?? usual.lastsMs);
    this.#count(person, 1);
    stream.onEnd(() => {
      clearTimeout(timer);
      this.#count(person, -1);
      unwatch?.();
    });
    tell(this.#board?.of(run));
  }

  /** Ends all streams, as nobody is told anything any more. */
  close(): void {
    this.#streams.close();
  }

  #count(person: number, by: number): void {
    const count = (this.#counts.get(person) ?? 0) + by;
    if (count === 0) this.#counts.delete(person);
    else this.#counts.set(person, count);
  }
}
