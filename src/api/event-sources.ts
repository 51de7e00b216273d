import { setTimeout as delay } from 'node:timers/promises';
import { listRemote } from '../git/remote.ts';
import type { Log } from '../github/octokit/connect.ts';
import { ledgerRef } from '../ledger/refs.ts';
import type { LiveRun } from '../runs/live/live-run.ts';
import { keyOf, type LiveRuns } from '../runs/live/live-runs.ts';
import { messageOf } from '../runs/repository/faults.ts';
import type { Repository } from '../runs/repository/repository.ts';
import { RunEvents } from './run-events.ts';

interface SourcesOptions {
  readonly liveRuns: LiveRuns;
  readonly log: Pick<Log, 'warn'>;
  /** How often it is looked for what other processes have recorded. */
  readonly lookEveryMs: number;
}

/** The runs that somebody listens to, each once however many do. */
export class Sources {
  readonly #options: SourcesOptions;
  readonly #sources = new Map<string, { readonly events: RunEvents; listeners: number }>();
  /** The ids of the repositories that are looked at. */
  readonly #watched = new Set<number>();
  readonly #closing = new AbortController();
  readonly #unwatch: () => void;
  readonly #reading = new Set<Promise<void>>();
  /** What could not be read last time, by run, so that it is said once. */
  readonly #faults = new Map<string, string>();

  constructor(options: SourcesOptions) {
    this.#options = options;
    this.#unwatch = options.liveRuns.watch((key, steps) => {
      const events = this.#sources.get(key)?.events;
      if (events !== undefined) void this.#noting(key, () => events.take(steps));
    });
  }

  /** What happens to a run, until `leave`. */
  join(run: LiveRun): RunEvents {
    const { repository, number } = run;
    const key = keyOf(repository, number);
    const current = () => this.#options.liveRuns.ifOpen(repository, number) ?? run;
    const source = this.#sources.get(key) ?? { events: new RunEvents(current), listeners: 0 };
    source.listeners += 1;
    this.#sources.set(key, source);
    if (!this.#watched.has(repository.id)) void this.#lookAt(repository.id);
    return source.events;
  }

  leave({ repository, number }: LiveRun): void {
    const key = keyOf(repository, number);
    const source = this.#sources.get(key);
    if (source === undefined) return;
    source.listeners -= 1;
    if (source.listeners > 0) return;
    this.#sources.delete(key);
    this.#faults.delete(key);
  }

  /** Resolves when nothing is read any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#unwatch();
    for (const { events } of this.#sources.values()) events.wake();
    await Promise.allSettled(this.#reading);
  }

  /** Looks at the ledgers of a repository for as long as somebody listens to one of its runs. */
  async #lookAt(id: number): Promise<void> {
    this.#watched.add(id);
    const { signal } = this.#closing;
    for (;;) {
      await delay(this.#options.lookEveryMs, undefined, { signal }).catch(() => undefined); // it is closed
      const sources = [...this.#sources.values()].map(({ events }) => events);
      const own = sources.filter(({ run }) => run.repository.id === id);
      const [first] = own;
      if (first === undefined || signal.aborted) break;
      await this.#noting(String(id), () => this.#readMoved(first.run.repository, own));
    }
    this.#watched.delete(id);
    this.#faults.delete(String(id));
  }

  /** Reads the ledgers that are not as this process knows them. */
  async #readMoved(repository: Repository, sources: readonly RunEvents[]): Promise<void> {
    const refsOf = ({ number }: LiveRun) => [ledgerRef('open', number), ledgerRef('closed', number)];
    const refs = await listRemote(
      repository.remote,
      sources.flatMap(({ run }) => refsOf(run)),
    );
    const moved = sources.filter(({ run, seq }) => {
      const [commit] = refsOf(run).flatMap((ref) => refs.get(ref) ?? []);
      return commit !== run.tip?.commit || seq !== (run.tip?.seq ?? 0);
    });
    const reading = moved.map((source) =>
      this.#noting(keyOf(repository, source.run.number), () => source.readOn()),
    );
    await Promise.all(reading);
  }

  #noting(key: string, read: () => Promise<void>): Promise<void> {
    const reading = this.#readNoting(key, read).finally(() => this.#reading.delete(reading));
    this.#reading.add(reading);
    return reading;
  }

  /** It is tried again at the next look. */
  async #readNoting(key: string, read: () => Promise<void>): Promise<void> {
    try {
      await read();
      this.#faults.delete(key);
    } catch (fault) {
      const text = messageOf(fault);
      if (this.#faults.get(key) !== text) this.#options.log.warn(`could not see what happens: ${text}`);
      this.#faults.set(key, text);
    }
  }
}
