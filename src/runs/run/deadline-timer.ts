import type { Clock } from '../../repository/github-clock.ts';
import type { Deadline } from '../../steering/shapes/standing.ts';

/** Node's timers cannot wait longer; the sweep checks again anyway. */
const longestMs = 2 ** 31 - 1;

/** Waits for the next deadline of one run. After a restart, the sweep sets it again. */
export class DeadlineTimer {
  readonly #clock: Clock;
  readonly #fire: (deadline: Deadline) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock, fire: (deadline: Deadline) => void) {
    this.#clock = clock;
    this.#fire = fire;
  }

  /** Waits for this deadline, and for no other any more. */
  set(deadline: Deadline | undefined): void {
    this.stop();
    if (deadline === undefined) return;
    const ms = Math.min(Math.max(this.#msLeft(deadline), 0), longestMs);
    this.#timer = setTimeout(() => this.#end(deadline), ms).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Node's clock may be ahead of GitHub's, after which deadlines go. */
  #end(deadline: Deadline): void {
    if (this.#msLeft(deadline) > 0) this.set(deadline);
    else this.#fire(deadline);
  }

  #msLeft({ at }: Deadline): number {
    return Date.parse(at) - this.#clock.now().getTime();
  }
}
