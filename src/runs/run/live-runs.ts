import type { Turned } from '../../github/events/github-event.ts';
import type { LedgerStep } from '../../ledger/ledger-steps.ts';
import { RecentMap } from '../../repository/recent-map.ts';
import type { Repository } from '../../repository/repository.ts';
import type { OpenRun } from '../../steering/branch/line-of-runs.ts';
import { isOver } from '../../steering/phases/table.ts';
import type { State } from '../../steering/state/state.ts';
import { MergeGroups } from './merge-groups.ts';
import { RecentConfiguration } from './recent-configuration.ts';
import { Run, type Wiring } from './run.ts';
import type { Services } from './services.ts';

/**
 * How many idle runs are kept open; beyond that, the least recently used are closed. Not an `lru-cache`: that
 * would also evict a run that is busy.
 */
const maxIdle = 500;

/** Told of a run by its key. */
type StepsWatcher = (key: string, steps: readonly LedgerStep[]) => void;

/** What tells runs apart, whatever their repositories are called by now. */
export function keyOf({ id }: Pick<Repository, 'id'>, number: number): string {
  return `${id}#${number}`;
}

/** The runs of one repository in this process, and what the process remembers of them between two looks. */
export class RepositoryRuns {
  /** Replaced when the repository is renamed or has a new client. */
  repository: Repository;
  readonly services: Services;
  /**
   * What the sweep need not look at again: ledgers that are not ours or were reported as lost, as `n@commit`,
   * pull requests that have none, as `n@updated_at`, and requests for runs, by their ids.
   */
  readonly passedOver = new RecentMap<string, true>({ max: 2_000 });
  /** How often the sweeps have looked at the ledger of an ended run, by its number. */
  readonly tries = new RecentMap<number, number>({ max: 2_000 });
  /** Up to when missed requests for runs were looked for, ISO 8601. */
  startsReadUpTo: string | undefined;
  /** Runs that have not ended, by `n@commit` of their ledgers. */
  readonly notEnded = new RecentMap<string, OpenRun>({ max: 2_000 });
  /** What runs may wait for and was told but not looked at yet. */
  turned = new Set<Turned>();
  readonly groups = new MergeGroups();
  readonly #all: LiveRuns;

  constructor(repository: Repository, all: LiveRuns) {
    this.repository = repository;
    this.services = all.services;
    this.#all = all;
  }

  /** `owner/repo` */
  get name(): string {
    return `${this.repository.owner}/${this.repository.name}`;
  }

  /** GitHub's time, ISO 8601. */
  now(): string {
    return this.services.clock.now().toISOString();
  }

  /** Opened if need be; others that are idle may be closed. */
  of(number: number): Run {
    return this.#all.of(this.repository, number);
  }

  /** The run if it is open in this process; nothing is opened for it. */
  ifOpen(number: number): Run | undefined {
    return this.#all.ifOpen(this.repository, number);
  }

  /** Those that are open in this process. */
  get open(): readonly Run[] {
    return this.#all.open.filter(({ repository }) => repository.id === this.repository.id);
  }

  /** Closes a run that was only looked at, so that nobody takes it for one that this process works on. */
  forget(run: Run): Promise<void> {
    return this.#all.forget(run);
  }

  /** The label that starts runs. */
  trigger(): Promise<string> {
    return this.#all.configuration.trigger(this.repository);
  }

  /** The configuration as it was a moment ago on the default branch; undefined if there is none. */
  configuration(): Promise<string | undefined> {
    return this.#all.configuration.text(this.repository);
  }
}

/** The runs that are open in this process, one object each. */
export class LiveRuns {
  readonly services: Services;
  readonly configuration: RecentConfiguration;
  readonly #open = new Map<string, Run>();
  readonly #repositories = new Map<number, RepositoryRuns>();
  readonly #watchers = new Set<StepsWatcher>();
  readonly #wiring: (runs: RepositoryRuns) => Wiring;

  /** `wiring` does what happens to the runs of a repository. */
  constructor(services: Services, wiring: (runs: RepositoryRuns) => Wiring) {
    this.services = services;
    this.#wiring = wiring;
    this.configuration = new RecentConfiguration(services);
  }

  /** Those of one repository. */
  in(repository: Repository): RepositoryRuns {
    const runs = this.#repositories.get(repository.id) ?? new RepositoryRuns(repository, this);
    this.#repositories.set(repository.id, runs);
    runs.repository = repository;
    return runs;
  }

  /** Those of a repository that this process has met, by its id. */
  known(id: number): RepositoryRuns | undefined {
    return this.#repositories.get(id);
  }

  /** Opened if need be; others that are idle may be closed. */
  of(repository: Repository, number: number): Run {
    const key = keyOf(repository, number);
    const onSteps = (steps: readonly LedgerStep[]): void => {
      for (const watcher of this.#watchers) watcher(key, steps);
    };
    const run =
      this.#known(key, repository) ??
      new Run(repository, number, this.services, this.#wiring(this.in(repository)), onSteps);
    // Inserted again, so that the map is in order of use.
    this.#open.delete(key);
    this.#open.set(key, run);
    this.#closeIdle(run);
    return run;
  }

  /** Told at once what this process records on any run; must not throw. Returns how to stop that. */
  watch(watcher: StepsWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** The run if it is open in this process; nothing is opened for it. */
  ifOpen(repository: Repository, number: number): Run | undefined {
    return this.#open.get(keyOf(repository, number));
  }

  get open(): readonly Run[] {
    return [...this.#open.values()];
  }

  /** Closes a run that was only looked at, so that nobody takes it for one that this process works on. */
  async forget(run: Run): Promise<void> {
    this.#open.delete(keyOf(run.repository, run.number));
    await run.close();
  }

  /** If the repository was renamed or has a new client, the old object is closed once it is idle. */
  #known(key: string, repository: Repository): Run | undefined {
    const run = this.#open.get(key);
    if (run === undefined || run.repository === repository || !run.idle) return run;
    void run.close();
    return undefined;
  }

  /** Resolves when every event so far has been acted upon. */
  async drained(): Promise<void> {
    // What is found out about a merge group is recorded on its runs.
    for (const groups of this.#groups) await groups.drained();
    await Promise.all(this.open.map((run) => run.drained()));
  }

  /** Whether nothing is in progress for any run. */
  get quiet(): boolean {
    return this.#groups.every(({ quiet }) => quiet) && this.open.every((run) => run.quiet);
  }

  /** Whether a run with this number has not ended, in any repository unless one is named by its id. */
  hasOpen(number: number, repositoryId?: number): boolean {
    return this.open.some(
      (run) =>
        run.number === number &&
        (repositoryId === undefined || run.repository.id === repositoryId) &&
        run.newest !== undefined &&
        !isOver(run.newest.standing.phase),
    );
  }

  /** The newest state of every run that is open here. */
  newest(): readonly State[] {
    return this.open.flatMap(({ newest }) => newest ?? []);
  }

  /**
   * The newest states of runs on which this process has recorded something; if there are none, of all,
   * because somebody only asked about them.
   */
  changed(): readonly State[] {
    const changed = this.open.filter(({ isChanged }) => isChanged);
    return changed.length === 0 ? this.newest() : changed.flatMap(({ newest }) => newest ?? []);
  }

  async close(): Promise<void> {
    await Promise.all(this.#groups.map((groups) => groups.close()));
    await Promise.all(this.open.map((run) => run.close()));
    this.#open.clear();
  }

  get #groups(): readonly MergeGroups[] {
    return [...this.#repositories.values()].map(({ groups }) => groups);
  }

  #closeIdle(except: Run): void {
    for (const [key, run] of this.#open) {
      if (this.#open.size <= maxIdle) return;
      if (run === except || !run.idle) continue;
      this.#open.delete(key);
      void run.close();
    }
  }
}
