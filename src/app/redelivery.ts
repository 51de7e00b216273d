import type { Connection, Log } from '../github/octokit/connect.ts';
import { type MissedDelivery, missedDeliveries, payloadOf } from '../github/read/deliveries.ts';
import { isOutage, messageOf } from '../runs/faults.ts';
import type { Receiver } from './receiver.ts';
import type { SweepRecord } from './sweep-record.ts';

/** After this many tries a delivery is given up, or it would be tried for as long as GitHub keeps it. */
const maxTries = 5;

/** A try counts ten tenths; while GitHub is down only one, so that an outage of hours loses nothing. */
const tenths = { ofTry: 10, ofOutage: 1 } as const;

export interface RedeliveryOptions {
  readonly app: Connection;
  readonly receiver: Receiver;
  readonly log: Log;
  readonly isStopped: () => boolean;
}

/** Handles the deliveries that were not answered with 200; clicks on buttons can be found nowhere else. */
export class Redelivery {
  readonly #options: RedeliveryOptions;
  readonly #failed: Map<string, number>;
  /** GitHub goes on to list these as missed. */
  readonly #recorded = new Set<string>();
  #givenUp: number;

  constructor(options: RedeliveryOptions, { failed, given_up }: Pick<SweepRecord, 'failed' | 'given_up'>) {
    this.#options = options;
    this.#failed = new Map(Object.entries(failed));
    this.#givenUp = given_up;
  }

  get record(): Pick<SweepRecord, 'failed' | 'given_up'> {
    return { failed: Object.fromEntries(this.#failed), given_up: this.#givenUp };
  }

  /** Tries each delivery since a time once. Returns whether none has to be tried again. */
  async redeliver(since: string): Promise<boolean> {
    const { app, isStopped } = this.#options;
    const missed = await missedDeliveries(app, since);
    this.#forgetAllBut(new Set(missed.map(({ id }) => id)));
    let isComplete = true;
    for (const delivery of missed) {
      if (isStopped()) return false;
      if (!this.#isSettled(delivery.id) && !(await this.#try(delivery))) isComplete = false;
    }
    return isComplete;
  }

  async #try(delivery: MissedDelivery): Promise<boolean> {
    const { app, receiver, isStopped } = this.#options;
    try {
      const payload = await payloadOf(app, delivery);
      if (payload !== undefined) await receiver.receive({ name: delivery.name, payload });
      this.#recorded.add(delivery.id);
      this.#failed.delete(delivery.id);
      return true;
    } catch (fault) {
      return isStopped() ? false : this.#fail(delivery, fault);
    }
  }

  #fail({ id, name }: MissedDelivery, fault: unknown): boolean {
    const { log } = this.#options;
    const tried = (this.#failed.get(id) ?? 0) + (isOutage(fault) ? tenths.ofOutage : tenths.ofTry);
    this.#failed.set(id, tried);
    if (!this.#isSettled(id)) {
      log.warn(`could not record ${name} ${id} again: ${messageOf(fault)}`);
      return false;
    }
    this.#givenUp += 1;
    log.error(`gave up on ${name} ${id}, which could not be recorded: ${messageOf(fault)}`);
    return true;
  }

  #isSettled(id: string): boolean {
    return this.#recorded.has(id) || (this.#failed.get(id) ?? 0) >= maxTries * tenths.ofTry;
  }

  #forgetAllBut(listed: ReadonlySet<string>): void {
    for (const id of this.#failed.keys()) if (!listed.has(id)) this.#failed.delete(id);
    for (const id of this.#recorded) if (!listed.has(id)) this.#recorded.delete(id);
  }
}
