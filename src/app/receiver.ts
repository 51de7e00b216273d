import { LRUCache } from 'lru-cache';
import type { RunIndex } from '../doors/lists/run-index.ts';
import { type Delivery, eventsIn, type KnownRuns } from '../github/events/delivery.ts';
import type { Account, GitHubEvent, GitHubEventOf } from '../github/events/github-event.ts';
import { drawFirstCheck, ensureTriggerLabel } from '../github/write/completed-checks.ts';
import { mayWaitFor } from '../runs/dependencies/waking.ts';
import { handleGitHubEvent } from '../runs/handle-event.ts';
import type { LiveRuns } from '../runs/run/live-runs.ts';
import type { Installations } from './installations.ts';

/** How far a delivery has come in this process. */
export type Progress = 'under way' | 'recorded';

/** As many deliveries as a sweep looks at. */
const maxRemembered = 10_000;

/** Receives deliveries from the server or the sweep. Resolves when everything relevant is recorded. */
export class Receiver {
  readonly #installations: Installations;
  readonly #liveRuns: LiveRuns;
  readonly #index: Pick<RunIndex, 'forget'>;
  /** By their GUIDs; one that failed is not among them. */
  readonly #progress = new LRUCache<string, Progress>({ max: maxRemembered });
  readonly #onRevoked: ((person: Account) => void)[] = [];
  #closed = false;

  constructor(installations: Installations, liveRuns: LiveRuns, index: Pick<RunIndex, 'forget'>) {
    this.#installations = installations;
    this.#liveRuns = liveRuns;
    this.#index = index;
  }

  async receive({ id, ...delivery }: Delivery): Promise<void> {
    if (this.#closed) throw new Error('Coxswain has stopped; it handles this delivery when it starts again');
    this.#progress.set(id, 'under way');
    try {
      await forEach(eventsIn(delivery, this.runs), (incoming) => this.#handle(incoming));
      this.#progress.set(id, 'recorded');
    } catch (fault) {
      this.#progress.delete(id);
      throw fault;
    }
  }

  /**
   * Tells of everyone who has taken back what lets the App act for them. It may be late, or told twice; other
   * processes learn it from GitHub, which no longer takes the person's tokens.
   */
  onRevoked(listener: (person: Account) => void): void {
    this.#onRevoked.push(listener);
  }

  /** The runs of which this process knows, for the filter in front of it. */
  get runs(): KnownRuns {
    const isOpen = (number: number, repository?: number) => this.#liveRuns.hasOpen(number, repository);
    const mayWait: KnownRuns['mayWait'] = (id, what) => mayWaitFor(what, this.#liveRuns.known(id));
    return { login: this.#installations.own.login, isOpen, mayWait };
  }

  /**
   * Whatever GitHub was answered: a delivery may have taken longer than it waits. Undefined if the delivery
   * failed, or did not come to this process.
   */
  progressOf(id: string): Progress | undefined {
    return this.#progress.get(id);
  }

  /** Refuses all further deliveries. */
  close(): void {
    this.#closed = true;
  }

  async #handle(incoming: GitHubEvent): Promise<void> {
    if (incoming.kind === 'authorization_revoked') {
      for (const tell of this.#onRevoked) tell(incoming.sender);
      return;
    }
    if (incoming.installation_id === null) {
      throw new Error(`received a ${incoming.kind} without an installation; is this the App's own webhook?`);
    }
    if (incoming.kind === 'installed') {
      for (const id of incoming.removed) this.#index.forget(id);
      return this.#prepare(incoming, incoming.installation_id);
    }
    const repository = this.#installations.repository(incoming.repository, incoming.installation_id);
    await handleGitHubEvent(incoming, this.#liveRuns.in(repository));
  }

  /** Creates what people look for: the label that starts runs, and the check run to require. */
  async #prepare({ repositories }: GitHubEventOf<'installed'>, installation: number): Promise<void> {
    const octokit = this.#installations.client(installation);
    await forEach(repositories, async (repository) => {
      const label = await this.#liveRuns.configuration.trigger({ ...repository, octokit });
      await ensureTriggerLabel(octokit, repository, label);
      await drawFirstCheck(octokit, repository);
    });
  }
}

/** One that fails does not keep the others from being handled; the first fault is thrown at the end. */
async function forEach<T>(all: readonly T[], act: (each: T) => Promise<void>): Promise<void> {
  const faults: unknown[] = [];
  for (const each of all) await act(each).catch((fault: unknown) => faults.push(fault));
  if (faults.length > 0) throw faults[0];
}
