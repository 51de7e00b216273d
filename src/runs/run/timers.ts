import type { Log } from '../../github/octokit/connect.ts';
import { messageOf } from '../../repository/faults.ts';
import type { Clock } from '../../repository/github-clock.ts';
import { deadlines } from '../../steering/handlers/deadlines.ts';
import type { Deadline } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { fireTimer } from './overdue.ts';
import type { Run } from './run.ts';

/** Node's timers cannot wait longer; the sweep checks again anyway. */
const longestMs = 2 ** 31 - 1;

interface TimerServices {
  readonly clock: Clock;
  readonly log: Log;
}

/** The next deadline of each run in this process. After a restart, the sweep sets them again. */
export class Timers {
  readonly #running = new Map<string, NodeJS.Timeout>();
  readonly #services: TimerServices;

  constructor(services: TimerServices) {
    this.#services = services;
  }

  watch(run: Run, state: State): void {
    clearTimeout(this.#running.get(run.name));
    this.#running.delete(run.name);
    const [next] = deadlines(state);
    if (next !== undefined) this.#set(run, next);
  }

  stop(): void {
    for (const timer of this.#running.values()) clearTimeout(timer);
    this.#running.clear();
  }

  #set(run: Run, deadline: Deadline): void {
    const timer = setTimeout(
      () => this.#fire(run, deadline),
      Math.min(Math.max(this.#msLeft(deadline), 0), longestMs),
    );
    timer.unref();
    this.#running.set(run.name, timer);
  }

  /** Node's clock may be ahead of GitHub's, after which deadlines go. */
  #fire(run: Run, deadline: Deadline): void {
    if (this.#msLeft(deadline) > 0) {
      this.#set(run, deadline);
      return;
    }
    const { clock, log } = this.#services;
    fireTimer(run, deadline, { clock, log }).catch((fault: unknown) =>
      log.warn(
        `could not act on a ${deadline.kind} timer of ${run.name}; the sweep will retry: ${messageOf(fault)}`,
      ),
    );
  }

  #msLeft({ at }: Deadline): number {
    return Date.parse(at) - this.#services.clock.now().getTime();
  }
}
