import type { Log } from '../github/octokit/connect.ts';
import { missedDeliveries } from '../github/read/deliveries.ts';
import { searchRuns } from '../github/read/repositories-with-runs.ts';
import { messageOf } from '../runs/faults.ts';
import type { Clock } from '../runs/github-clock.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import { sweepRepository } from '../runs/sweep.ts';
import type { Installations } from './installations.ts';
import type { Instance } from './instance.ts';
import { readLastSweep, writeLastSweep } from './last-sweep.ts';
import type { Receiver } from './receiver.ts';

export interface SweeperOptions {
  readonly installations: Installations;
  readonly liveRuns: LiveRuns;
  readonly receiver: Receiver;
  readonly instance: Instance;
  readonly clock: Clock;
  readonly log: Log;
  readonly everyMs: number;
}

/** Deliveries that failed during the first sweep should not have to wait for the full interval. */
const secondAfterMs = 60_000;

/** Short outages end within seconds, and someone is waiting for an answer. */
const soonMs = 10_000;

/** A delivery that started before a sweep may have failed after it. */
const marginMs = 60_000;

/** GitHub keeps deliveries for three days. */
const deliveriesKeptMs = 3 * 24 * 60 * 60_000;

/** Completes what was missed, at start and every few minutes, so that an App that was down loses nothing. */
export class Sweeper {
  /** When the last successful sweep started, ISO 8601. */
  lastSweep: string | null = null;
  readonly #options: SweeperOptions;
  #next: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #stopped = false;
  #hurried = false;
  /** Consecutive incomplete sweeps; each doubles the wait before the next. */
  #failures = 0;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#sweepAndThenAfter(secondAfterMs);
  }

  /** Something could not be recorded: sweeps earlier than scheduled. */
  sweepSoon(): void {
    if (this.#hurried) return;
    this.#hurried = true;
    if (this.#next !== undefined) this.#sweepAfter(soonMs);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#next);
    await this.#sweeping;
  }

  #sweepAndThenAfter(ms: number): void {
    this.#next = undefined;
    this.#hurried = false;
    this.#sweeping = this.#sweep().then((all) => {
      this.#failures = all ? 0 : this.#failures + 1;
      const soon = all ? soonMs : soonMs * 2 ** (this.#failures - 1);
      this.#sweepAfter(all && !this.#hurried ? ms : soon);
    });
  }

  #sweepAfter(ms: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#next);
    const { everyMs } = this.#options;
    this.#next = setTimeout(() => this.#sweepAndThenAfter(everyMs), Math.min(ms, everyMs)).unref();
  }

  /** Returns whether everything was completed. Never throws: the next sweep tries again. */
  async #sweep(): Promise<boolean> {
    const { clock, log } = this.#options;
    const startedAt = clock.now().toISOString();
    try {
      const all = await this.#redeliver();
      await this.#sweepRepositories();
      // What could not be recorded is tried again, for as long as GitHub keeps it.
      if (all) await this.#remember(startedAt);
      return all;
    } catch (fault) {
      log.warn(`the sweep failed; the next one will retry: ${messageOf(fault)}`);
      return false;
    }
  }

  /**
   * Handles deliveries that were not answered with 200; button clicks cannot be found anywhere else. Returns
   * whether all were recorded.
   */
  async #redeliver(): Promise<boolean> {
    const { installations, liveRuns, receiver, clock, log } = this.#options;
    this.lastSweep ??= await readLastSweep(liveRuns.services.data);
    const since = beforeBy(
      this.lastSweep === null ? deliveriesKeptMs : marginMs,
      this.lastSweep ?? clock.now(),
    );
    let all = true;
    for (const delivery of await missedDeliveries(installations.app, since)) {
      if (this.#stopped) return false;
      await receiver.receive(delivery).catch((fault: unknown) => {
        all = false;
        log.warn(`could not record ${delivery.name} ${delivery.id} again: ${messageOf(fault)}`);
      });
    }
    return all;
  }

  async #remember(time: string): Promise<void> {
    this.lastSweep = time;
    await writeLastSweep(this.#options.liveRuns.services.data, time);
  }

  async #sweepRepositories(): Promise<void> {
    const { installations, liveRuns, instance } = this.#options;
    for (const { id, account } of await installations.all()) {
      for (const repository of await searchRuns(installations.client(id), account)) {
        if (this.#stopped) return;
        const { isEarlierProcess: isGone } = instance;
        await sweepRepository(installations.repository(repository, id), liveRuns, { isGone });
      }
    }
  }
}

function beforeBy(ms: number, time: Date | string): string {
  return new Date(new Date(time).getTime() - ms).toISOString();
}
