import type { Log } from '../github/octokit/connect.ts';
import { reviewDeadline } from '../steering/interactions.ts';
import type { State } from '../steering/state.ts';
import { messageOf } from './faults.ts';
import type { Clock } from './github-clock.ts';
import type { Run } from './run.ts';
import { catchUp } from './sweep/catch-up.ts';

/** Node's timers cannot wait longer; the sweep checks again anyway. */
const longestMs = 2 ** 31 - 1;

interface TimerServices {
  readonly clock: Clock;
  readonly log: Log;
}

/** The review timers of the runs in this process. After a restart, the sweep sets them again. */
export class Timers {
  readonly #running = new Map<string, NodeJS.Timeout>();
  readonly #services: TimerServices;

  constructor(services: TimerServices) {
    this.#services = services;
  }

  watch(run: Run, state: State): void {
    clearTimeout(this.#running.get(run.name));
    this.#running.delete(run.name);
    const deadline = reviewDeadline(state);
    if (deadline === null) return;
    const ms = Math.min(Math.max(Date.parse(deadline) - this.#services.clock.now().getTime(), 0), longestMs);
    const timer = setTimeout(() => this.#fire(run, deadline), ms);
    timer.unref();
    this.#running.set(run.name, timer);
  }

  stop(): void {
    for (const timer of this.#running.values()) clearTimeout(timer);
    this.#running.clear();
  }

  #fire(run: Run, deadline: string): void {
    const { clock, log } = this.#services;
    timeOut(run, deadline, { now: clock.now(), log }).catch((fault: unknown) =>
      log.warn(`could not time out ${run.name}; the sweep will retry: ${messageOf(fault)}`),
    );
  }
}

/** Missed commands are read before the timer acts, because they take precedence. */
export async function timeOut(
  run: Run,
  deadline: string,
  { now, log }: { readonly now: Date; readonly log: Log },
): Promise<void> {
  const snapshot = await run.readLedger();
  const [unread] = snapshot === undefined ? [] : await catchUp(run, snapshot, log);
  if (unread !== undefined) throw unread;
  const id = `timer:review:${deadline}`;
  await run.record({ type: 'timer_due', id, at: now.toISOString(), timer: 'review', deadline });
}
