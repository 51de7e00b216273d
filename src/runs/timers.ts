import { reviewDeadline } from '../steering/interactions.ts';
import type { State } from '../steering/state.ts';
import { catchUp } from './catch-up.ts';
import { messageOf } from './faults.ts';
import type { Lane } from './live-run.ts';
import type { Workshop } from './services.ts';

/** Node's timers cannot wait longer; the sweep looks again anyway. */
const longestMs = 2 ** 31 - 1;

/** Watches the review clock of the runs of this process. What a restart forgets, the sweep brings back. */
export class Timers {
  readonly #running = new Map<string, NodeJS.Timeout>();
  readonly #workshop: Pick<Workshop, 'clock' | 'log'>;

  constructor(workshop: Pick<Workshop, 'clock' | 'log'>) {
    this.#workshop = workshop;
  }

  watch(lane: Lane, state: State): void {
    clearTimeout(this.#running.get(lane.name));
    this.#running.delete(lane.name);
    const deadline = reviewDeadline(state);
    if (deadline === null) return;
    const ms = Math.min(Math.max(Date.parse(deadline) - this.#workshop.clock.now().getTime(), 0), longestMs);
    const timer = setTimeout(() => this.#fire(lane, deadline), ms);
    timer.unref();
    this.#running.set(lane.name, timer);
  }

  stop(): void {
    for (const timer of this.#running.values()) clearTimeout(timer);
    this.#running.clear();
  }

  #fire(lane: Lane, deadline: string): void {
    const { clock, log } = this.#workshop;
    timeOut(lane, deadline, clock.now()).catch((fault: unknown) =>
      log.warn(`could not end the wait of ${lane.name}, the sweep will: ${messageOf(fault)}`),
    );
  }
}

/** Before a timer acts, what people said meanwhile is read again: their word goes first (DESIGN §4). */
export async function timeOut(lane: Lane, deadline: string, now: Date): Promise<void> {
  await catchUp(lane);
  const id = `timer:review:${deadline}`;
  await lane.tell({ type: 'timer_due', id, at: now.toISOString(), timer: 'review', deadline });
}
