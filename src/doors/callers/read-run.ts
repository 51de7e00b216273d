import { LRUCache } from 'lru-cache';
import { listRemote } from '../../git/remote.ts';
import { isOfLedger } from '../../ledger/errors.ts';
import type { Repository } from '../../repository/repository.ts';
import type { LiveRuns } from '../../runs/run/live-runs.ts';
import type { Run } from '../../runs/run/run.ts';
import type { State } from '../../steering/state/state.ts';
import { notFound } from '../problem.ts';
import type { RunPlace } from '../reading/reader.ts';
import type { Caller, Identity } from './identity.ts';
import type { Readable } from './visible-repositories.ts';

/** A run that the caller may read. */
export interface ReadRun {
  readonly run: Run;
  readonly state: State;
  /** When that was the newest state, ISO 8601. */
  readonly as_of: string;
  readonly readable: Readable;
}

export interface RunsOptions {
  readonly identity: Identity;
  readonly liveRuns: LiveRuns;
  /** The repository if the App is installed there. */
  readonly installed: (found: Readable['repository']) => Promise<Repository | undefined>;
}

/** How long a state counts as the newest one, in milliseconds; less where others record events too. */
const newestMs = { alone: 60_000, besideOthers: 3000 };

/** Reads the runs that people ask about, after GitHub was asked whether they may. */
export class Runs {
  readonly #options: RunsOptions;
  /** When a ledger was last read, by its run. */
  readonly #readAt = new LRUCache<string, string, Run>({
    max: 5000,
    fetchMethod: async (_key, _stale, { context: run }) => {
      await run.readLedger();
      return this.#now();
    },
  });
  /** The numbers of a repository's ledgers: anyone may ask for any number, and most have no ledger. */
  readonly #numbers = new LRUCache<number, ReadonlySet<number>, Repository>({
    ...{ max: 500, ttl: 10_000 },
    fetchMethod: (_id, _stale, { context: repository }) => numbersIn(repository),
  });

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  /** Throws what to answer where the path leads to none, or to none that the caller may read. */
  async read(caller: Caller, { owner, repo, number }: RunPlace): Promise<ReadRun> {
    const { identity, installed, liveRuns } = this.#options;
    const readable = await identity.readable(caller, owner, repo);
    const repository = await installed(readable.repository);
    if (repository === undefined) throw notFound();
    const known = liveRuns.ifOpen(repository, number)?.newest !== undefined;
    if (!known && !(await this.#numbers.forceFetch(repository.id, { context: repository })).has(number))
      throw notFound();
    const run = liveRuns.of(repository, number);
    const ttl = liveRuns.services.others?.present ? newestMs.besideOthers : newestMs.alone;
    const forceRefresh = run.newest === undefined;
    const key = `${repository.id}#${number}`;
    const reading = this.#readAt.forceFetch(key, { context: run, ttl, forceRefresh });
    const readAt = await reading.catch((fault: unknown) => {
      // What is known is still worth telling while it cannot be read again.
      if (run.newest === undefined || isOfLedger(fault)) throw fault;
      return run.newest.updated_at;
    });
    const state = run.newest;
    if (state === undefined) throw notFound();
    const as_of = readAt > state.updated_at ? readAt : state.updated_at;
    return { run, state, as_of, readable };
  }

  #now(): string {
    return this.#options.liveRuns.services.clock.now().toISOString();
  }
}

async function numbersIn({ remote }: Repository): Promise<ReadonlySet<number>> {
  const refs = await listRemote(remote, ['refs/coxswain/open/*', 'refs/coxswain/closed/*']);
  return new Set([...refs.keys()].map((ref) => Number(ref.split('/').at(-1))));
}
