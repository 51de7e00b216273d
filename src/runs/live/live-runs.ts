import type { Turned } from '../../github/events/github-event.ts';
import type { LedgerStep } from '../../ledger/ledger-steps.ts';
import { RecentMap } from '../../repository/recent-map.ts';
import type { Repository } from '../../repository/repository.ts';
import { isOver } from '../../steering/phases/table.ts';
import type { State } from '../../steering/state/state.ts';
import { MergeGroups } from '../run/merge-groups.ts';
import type { OpenRun, OtherRuns } from '../run/run.ts';
import type { Services } from '../run/services.ts';
import { TriggerLabels } from '../run/trigger-labels.ts';
import { LiveRun } from './live-run.ts';

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

/** The runs that are open in this process, one object each. */
export class LiveRuns {
  readonly services: Services;
  /**
   * Ledgers that are not ours, or were reported as lost, as `<repository id>#n@commit`: until they change.
   */
  readonly passedOver = new RecentMap<string, true>({ max: 10_000 });
  /** How often the sweeps have looked at the ledger of an ended run, by `<repository id>#n`. */
  readonly tries = new RecentMap<string, number>({ max: 10_000 });
  /** Up to when missed requests for runs were looked for, by the repository's id, ISO 8601. */
  readonly startsReadUpTo = new Map<number, string>();
  /** Runs that have not ended, by `<repository id>#n@commit` of their ledgers. */
  readonly openRuns = new RecentMap<string, OpenRun>({ max: 10_000 });
  /** What runs may wait for and was told but not looked at yet, by the repository's id. */
  readonly turned = new Map<number, Set<Turned>>();
  readonly groups = new MergeGroups();
  /** The labels that start runs, by repository. */
  readonly triggers: TriggerLabels;
  readonly #open = new Map<string, LiveRun>();
  readonly #watchers = new Set<StepsWatcher>();

  readonly #others: OtherRuns;

  /** `others` does what runs have done to each other. */
  constructor(services: Services, others: (liveRuns: LiveRuns) => OtherRuns) {
    this.services = services;
    this.#others = others(this);
    this.triggers = new TriggerLabels(services);
  }

  of(repository: Repository, number: number): LiveRun {
    const key = keyOf(repository, number);
    const onSteps = (steps: readonly LedgerStep[]): void => {
      for (const watcher of this.#watchers) watcher(key, steps);
    };
    const run =
      this.#known(key, repository) ?? new LiveRun(repository, number, this.services, this.#others, onSteps);
    // Inserted again, so that the map is in order of use.
    this.#open.delete(key);
    this.#open.set(key, run);
    this.#closeIdle();
    return run;
  }

  /** Told at once what this process records on any run; must not throw. Returns how to stop that. */
  watch(watcher: StepsWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** The run if it is open in this process; nothing is opened for it. */
  ifOpen(repository: Repository, number: number): LiveRun | undefined {
    return this.#open.get(keyOf(repository, number));
  }

  /** The runs of a repository that are open in this process. */
  openIn({ id }: Pick<Repository, 'id'>): readonly LiveRun[] {
    return [...this.#open.values()].filter(({ repository }) => repository.id === id);
  }

  /** Closes a run that was only looked at, so that nobody takes it for one that this process works on. */
  async forget(run: LiveRun): Promise<void> {
    this.#open.delete(keyOf(run.repository, run.number));
    await run.close();
  }

  /** If the repository was renamed or has a new client, the old object is closed once it is idle. */
  #known(key: string, repository: Repository): LiveRun | undefined {
    const run = this.#open.get(key);
    if (run === undefined || run.repository === repository || !run.idle) return run;
    void run.close();
    return undefined;
  }

  /** Resolves when every event so far has been acted upon. */
  async drained(): Promise<void> {
    // What is found out about a merge group is recorded on its runs.
    await this.groups.drained();
    await Promise.all([...this.#open.values()].map((run) => run.drained()));
  }

  /** Whether nothing is in progress for any run. */
  get quiet(): boolean {
    return this.groups.quiet && [...this.#open.values()].every((run) => run.quiet);
  }

  /** Whether a run with this number has not ended, in any repository unless one is named by its id. */
  hasOpen(number: number, repositoryId?: number): boolean {
    return [...this.#open.values()].some(
      (run) =>
        run.number === number &&
        (repositoryId === undefined || run.repository.id === repositoryId) &&
        run.newest !== undefined &&
        !isOver(run.newest.standing.phase),
    );
  }

  /** The newest state of every run seen here. */
  newest(): readonly State[] {
    return [...this.#open.values()].flatMap(({ newest }) => newest ?? []);
  }

  /** The same of those that have changed here; if none has, of all, because somebody asked about them. */
  changed(): readonly State[] {
    const changed = [...this.#open.values()].filter(({ isChanged }) => isChanged);
    return changed.length === 0 ? this.newest() : changed.flatMap(({ newest }) => newest ?? []);
  }

  async close(): Promise<void> {
    await this.groups.close();
    await Promise.all([...this.#open.values()].map((run) => run.close()));
    this.#open.clear();
  }

  #closeIdle(): void {
    for (const [key, run] of this.#open) {
      if (this.#open.size <= maxIdle) return;
      if (!run.idle) continue;
      this.#open.delete(key);
      void run.close();
    }
  }
}
