import { setTimeout } from 'node:timers/promises';
import type { Connection, Log } from '../github/octokit/connect.ts';
import { type MissedDelivery, missedDeliveries, payloadOf } from '../github/read/deliveries.ts';
import { isOutage, messageOf } from '../repository/faults.ts';
import { aFewAtOnce } from './a-few-at-once.ts';
import type { Receiver } from './receiver.ts';
import type { SweepRecord } from './sweep-record.ts';

/** After this many tries a delivery is given up, or it would be tried for as long as GitHub keeps it. */
const maxTries = 5;

/** A try counts ten tenths; while GitHub is down only one, so that an outage of hours loses nothing. */
const tenths = { ofTry: 10, ofOutage: 1 } as const;

/** Repositories whose deliveries are tried at the same time. */
const atOnce = 5;

/** How long one sweep waits for the deliveries of one repository: a busy one must not keep the others. */
const patienceMs = 60_000;

/** What people say and click comes first. */
const words = new Set(['check_run', 'issue_comment', 'pull_request_review']);

/** `outage`: the others of the same repository would meet the same. */
type Outcome = 'settled' | 'failed' | 'outage';

interface RedeliveryOptions {
  readonly app: Connection;
  readonly receiver: Pick<Receiver, 'receive' | 'progressOf'>;
  readonly log: Log;
  readonly isStopped: () => boolean;
  /** How long to wait for the deliveries of one repository, in milliseconds; by default a minute. */
  readonly patienceMs?: number;
}

/** Handles the deliveries that did not get through; clicks on buttons can be found nowhere else. */
export class Redelivery {
  readonly #options: RedeliveryOptions;
  readonly #failed: Map<string, number>;
  /** GitHub goes on to list these as missed. */
  readonly #recorded = new Set<string>();
  /** Those for which nobody waits any longer, but which may still be recorded. */
  readonly #underWay = new Set<string>();
  #givenUp: number;

  constructor(options: RedeliveryOptions, { failed, given_up }: Pick<SweepRecord, 'failed' | 'given_up'>) {
    this.#options = options;
    this.#failed = new Map(Object.entries(failed));
    this.#givenUp = given_up;
  }

  get record(): Pick<SweepRecord, 'failed' | 'given_up'> {
    return { failed: Object.fromEntries(this.#failed), given_up: this.#givenUp };
  }

  /** Tries each delivery since a time at most once. Returns whether none has to be tried again. */
  async redeliver(since: string): Promise<boolean> {
    const { app, isStopped } = this.#options;
    const missed = await missedDeliveries(app, since);
    this.#forgetAllBut(new Set(missed.map(({ id }) => id)));
    const open = missed.filter(({ id }) => !this.#isSettled(id));
    const byRepository = new Map<number | null, MissedDelivery[]>();
    for (const delivery of open)
      byRepository.set(delivery.repository_id, [
        ...(byRepository.get(delivery.repository_id) ?? []),
        delivery,
      ]);
    return aFewAtOnce([...byRepository.values()], (all) => this.#tryAll(all), { atOnce, isStopped });
  }

  /** Those of one repository, until the first outage; what fails again and again comes last. */
  async #tryAll(all: readonly MissedDelivery[]): Promise<boolean> {
    const { isStopped, patienceMs: patience = patienceMs } = this.#options;
    const until = performance.now() + patience;
    const rank = ({ id, name }: MissedDelivery) =>
      [this.#failed.get(id) ?? 0, words.has(name) ? 0 : 1] as const;
    const ranked = all.map((delivery) => ({ delivery, rank: rank(delivery) }));
    const sorted = ranked.toSorted(
      (one, { rank: [tried, kind] }) => one.rank[0] - tried || one.rank[1] - kind,
    );
    let isComplete = true;
    for (const { delivery } of sorted) {
      const leftMs = until - performance.now();
      if (isStopped() || leftMs <= 0 || this.#underWay.has(delivery.id)) return false;
      const outcome = await this.#within(leftMs, delivery);
      if (outcome === 'outage') return false;
      if (outcome === 'failed') isComplete = false;
    }
    return isComplete;
  }

  /** What takes longer goes on, but nobody waits for it. */
  async #within(ms: number, delivery: MissedDelivery): Promise<Outcome> {
    const waiting = new AbortController();
    this.#underWay.add(delivery.id);
    const trying = this.#try(delivery).finally(() => {
      this.#underWay.delete(delivery.id);
      waiting.abort();
    });
    const { signal } = waiting;
    const late = setTimeout(ms, 'outage' as const, { signal, ref: false }).catch(() => trying);
    return Promise.race([trying, late]);
  }

  async #try(delivery: MissedDelivery): Promise<Outcome> {
    const { app, receiver, isStopped } = this.#options;
    const { id, name } = delivery;
    // GitHub was told that it takes longer, and it may yet fail.
    if (receiver.progressOf(id) === 'under way') return 'failed';
    try {
      const payload = await payloadOf(app, delivery);
      if (payload !== undefined) await receiver.receive({ id, name, payload });
      this.#recorded.add(id);
      this.#failed.delete(id);
      return 'settled';
    } catch (fault) {
      return isStopped() ? 'failed' : this.#fail(delivery, fault);
    }
  }

  #fail({ id, name }: MissedDelivery, fault: unknown): Outcome {
    const { log } = this.#options;
    const passes = isOutage(fault);
    const tried = (this.#failed.get(id) ?? 0) + (passes ? tenths.ofOutage : tenths.ofTry);
    this.#failed.set(id, tried);
    if (!this.#isSettled(id)) {
      log.warn(`could not record ${name} ${id} again: ${messageOf(fault)}`);
      return passes ? 'outage' : 'failed';
    }
    this.#givenUp += 1;
    log.error(`gave up on ${name} ${id}, which could not be recorded: ${messageOf(fault)}`);
    return 'settled';
  }

  #isSettled(id: string): boolean {
    if (this.#options.receiver.progressOf(id) === 'recorded') return true;
    return this.#recorded.has(id) || (this.#failed.get(id) ?? 0) >= maxTries * tenths.ofTry;
  }

  #forgetAllBut(listed: ReadonlySet<string>): void {
    for (const id of this.#failed.keys()) if (!listed.has(id)) this.#failed.delete(id);
    for (const id of this.#recorded) if (!listed.has(id)) this.#recorded.delete(id);
  }
}
