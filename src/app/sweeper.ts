import { setTimeout as wait } from 'node:timers/promises';
import type { RunIndex } from '../doors/lists/run-index.ts';
import type { LocalEngine } from '../engine/local-engine.ts';
import { GitError } from '../git/git.ts';
import { listRemote } from '../git/remote.ts';
import type { Log } from '../github/octokit/connect.ts';
import { GitHubFault } from '../github/octokit/fault.ts';
import { allRepositories, repositoryAt, searchRuns } from '../github/read/repositories-with-runs.ts';
import { messageOf } from '../repository/faults.ts';
import type { Clock } from '../repository/github-clock.ts';
import type { LiveRuns } from '../runs/run/live-runs.ts';
import { sweepRepository } from '../runs/sweep.ts';
import { isOver } from '../steering/phases/table.ts';
import type { Lease } from '../steering/shapes/standing.ts';
import type { State } from '../steering/state/state.ts';
import { aFewAtOnce } from './a-few-at-once.ts';
import type { Installations } from './installations.ts';
import type { Instance } from './instance.ts';
import type { KnownRepositories } from './known-repositories.ts';
import type { Receiver } from './receiver.ts';
import { Redelivery } from './redelivery.ts';
import { readSweepRecord, writeSweepRecord } from './sweep-record.ts';

interface SweeperOptions {
  readonly installations: Installations;
  readonly liveRuns: LiveRuns;
  readonly index: Pick<RunIndex, 'forget'>;
  readonly receiver: Receiver;
  readonly instance: Instance;
  readonly known: KnownRepositories;
  readonly engine: Pick<LocalEngine, 'isWorking'>;
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

/** Installations, and repositories of each, that are swept at the same time: one may be slow. */
const atOnce = 4;

/** Missed deliveries are recorded before anything is swept, unless that takes longer: a busy one may. */
const headStartMs = 20_000;

/** GitHub keeps deliveries for three days. */
const deliveriesKeptMs = 3 * 24 * 60 * 60_000;

/** Completes what was missed, at start and every few minutes, so that an App that was down loses nothing. */
export class Sweeper {
  /** When the last sweep started that left no delivery to be tried again, ISO 8601. */
  lastSweep: string | null = null;
  /** When this process last began to look through all repositories and came to the end, ISO 8601. */
  lookedAt: string | null = null;
  readonly #options: SweeperOptions;
  #redelivery: Redelivery | undefined;
  #next: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #stopped = false;
  #hurried = false;
  /** How many things the last sweep could not do, such as looking for runs or sweeping a repository. */
  failures = 0;
  #failuresSoFar = 0;
  /** Consecutive incomplete sweeps; each doubles the wait before the next. */
  #incomplete = 0;

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
      this.#incomplete = all ? 0 : this.#incomplete + 1;
      const soon = all ? soonMs : soonMs * 2 ** (this.#incomplete - 1);
      this.#sweepAfter(all && !this.#hurried ? ms : soon);
    });
  }

  #sweepAfter(ms: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#next);
    const { everyMs } = this.#options;
    this.#next = setTimeout(() => this.#sweepAndThenAfter(everyMs), Math.min(ms, everyMs)).unref();
  }

  /** How many deliveries were given up because they could not be recorded. */
  get givenUp(): number {
    return this.#redelivery?.record.given_up ?? 0;
  }

  /** Returns whether everything was completed. Never throws: the next sweep tries again. */
  async #sweep(): Promise<boolean> {
    const startedAt = this.#options.clock.now().toISOString();
    this.#failuresSoFar = 0;
    const redelivery = await this.#opened();
    const recording = this.#unlessFails('look for missed deliveries', () => this.#redeliver(redelivery));
    await Promise.race([recording, wait(headStartMs, undefined, { ref: false })]);
    const [isSwept, isRecorded] = await Promise.all([this.#sweepInstallations(), recording]);
    this.failures = this.#failuresSoFar;
    if (this.#stopped) return false;
    if (isSwept) this.lookedAt = startedAt;
    const isKept = await this.#unlessFails('write the record of the sweep', async () => {
      // What could not be recorded is tried again, until it is given up.
      if (isRecorded) this.lastSweep = startedAt;
      await this.#remember();
      return true;
    });
    return isRecorded && isSwept && isKept;
  }

  /** Returns whether no delivery has to be tried again. */
  async #redeliver(redelivery: Redelivery): Promise<boolean> {
    const from = this.lastSweep ?? this.#options.clock.now();
    return redelivery.redeliver(beforeBy(this.lastSweep === null ? deliveriesKeptMs : marginMs, from));
  }

  /** With what earlier processes remembered. */
  async #opened(): Promise<Redelivery> {
    if (this.#redelivery !== undefined) return this.#redelivery;
    const { installations, liveRuns, receiver, log } = this.#options;
    const record = await readSweepRecord(liveRuns.services.data);
    this.lastSweep ??= record.last_sweep;
    const isStopped = () => this.#stopped;
    this.#redelivery = new Redelivery({ app: installations.app, receiver, log, isStopped }, record);
    return this.#redelivery;
  }

  async #remember(): Promise<void> {
    if (this.#redelivery === undefined) return;
    const record = { last_sweep: this.lastSweep, ...this.#redelivery.record };
    const { liveRuns, installations, known } = this.#options;
    await writeSweepRecord(liveRuns.services.data, record);
    // Not every run that goes on here has begun here.
    for (const { run } of liveRuns.newest().filter(hasNotEnded)) {
      const home = installations.homeOf(run.repository_id);
      if (home !== undefined) await known.add(home.name, home.installation);
    }
  }

  /** One that GitHub refuses, such as a suspended one, does not keep the others from being swept. */
  async #sweepInstallations(): Promise<boolean> {
    const { installations } = this.#options;
    return this.#unlessFails('list the installations', async () => {
      const all = await installations.all();
      const isSwept = await this.#forEach(all, ({ id, account }) => this.#sweepRepositories(id, account));
      // Ends early when we are to stop.
      if (isSwept && !this.#stopped) await this.#options.known.setComplete();
      return isSwept;
    });
  }

  /** Those with labelled pull requests, and those that are known to have runs, whatever GitHub finds. */
  async #sweepRepositories(installation: number, account: string): Promise<boolean> {
    const { installations, known, log } = this.#options;
    const found = new Set<string>();
    const isFound = await this.#unlessFails(`look for runs of ${account}`, async () => {
      for (const name of await searchRuns(installations.client(installation), account)) found.add(name);
      if (known.isComplete) return true;
      const isStopped = () => this.#stopped;
      const { names, isComplete } = await withOpenLedgers(installations, installation, log, isStopped);
      for (const name of names) found.add(name);
      return isComplete;
    });
    const isSwept = await this.#forEach([...new Set([...found, ...known.of(installation)])], (name) =>
      this.#unlessFails(`sweep ${name}`, () => this.#sweepRepository(installation, name)),
    );
    return isFound && isSwept;
  }

  async #sweepRepository(installation: number, name: string): Promise<boolean> {
    const { installations, liveRuns, index, instance, engine, known } = this.#options;
    const found = await repositoryAt(installations.client(installation), name).catch(unlessGone);
    if (found === undefined) index.forget(name);
    const isGone = ({ holder }: Lease) =>
      instance.isEarlierProcess(holder) || (instance.isOwn(holder) && !engine.isWorking(holder));
    const runs = found && liveRuns.in(installations.repository(found, installation));
    const hasRuns = runs !== undefined && (await sweepRepository(runs, { isGone }));
    // One may have begun since the sweep looked, by the sweep itself or by a webhook.
    const began = runs?.open.some(({ newest }) => newest && hasNotEnded(newest));
    await (hasRuns || began ? known.add(name, installation) : known.forget(name));
    return true;
  }

  /** Returns whether all were completed. */
  #forEach<T>(all: readonly T[], act: (each: T) => Promise<boolean>): Promise<boolean> {
    return aFewAtOnce(all, act, { atOnce, isStopped: () => this.#stopped });
  }

  async #unlessFails(doing: string, act: () => Promise<boolean>): Promise<boolean> {
    try {
      return await act();
    } catch (fault) {
      this.#failuresSoFar += 1;
      this.#options.log.warn(`could not ${doing}; the next sweep will retry: ${messageOf(fault)}`);
      return false;
    }
  }
}

function hasNotEnded({ standing }: State): boolean {
  return !isOver(standing.phase);
}

/** A repository may have been deleted, or the App uninstalled from it. */
function unlessGone(fault: unknown): undefined {
  if (fault instanceof GitHubFault && fault.status === 404) return undefined;
  throw fault;
}

function beforeBy(ms: number, time: Date | string): string {
  return new Date(new Date(time).getTime() - ms).toISOString();
}

/** Repositories that are asked at the same time. */
const askedAtOnce = 8;

/**
 * The repositories of an installation, as `owner/name`, that have ledgers of runs that have not ended, and
 * whether there can be no other. Where Git refuses to tell, such as in a disabled repository, GitHub's search
 * has to find them.
 */
async function withOpenLedgers(
  installations: Installations,
  installation: number,
  log: Pick<Log, 'warn'>,
  isStopped: () => boolean,
): Promise<{ readonly names: readonly string[]; readonly isComplete: boolean }> {
  const all = await allRepositories(installations.client(installation));
  const names: string[] = [];
  const look = async (incoming: (typeof all)[number]) => {
    const { remote, owner, name } = installations.repository(incoming, installation);
    try {
      if ((await listRemote(remote, ['refs/coxswain/open/*'])).size > 0) names.push(`${owner}/${name}`);
      return true;
    } catch (fault) {
      log.warn(`could not look for ledgers in ${owner}/${name}: ${messageOf(fault)}`);
      return isRefused(fault);
    }
  };
  const isComplete = await aFewAtOnce(all, look, { atOnce: askedAtOnce, isStopped });
  return { names, isComplete };
}

/** An outage passes, and is waited for. */
function isRefused(fault: unknown): boolean {
  return fault instanceof GitError && /returned error: 40[34]|not found/i.test(fault.stderr);
}
