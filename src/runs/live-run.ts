import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { blockOf } from '../github/show/block-state.ts';
import { peopleDigest } from '../github/show/people-digest.ts';
import type { LedgerTip } from '../github/show/seq-line.ts';
import type { Attachments } from '../ledger/attachments.ts';
import { type LedgerSnapshot, openLedger, type RunLedger } from '../ledger/ledger.ts';
import type { Event, EventOf } from '../steering/event.ts';
import type { Ledger, Recorded } from '../steering/ports.ts';
import { isAlwaysAnswered } from '../steering/reply-limit.ts';
import { isInProgress } from '../steering/standing.ts';
import type { State } from '../steering/state.ts';
import { act, record } from '../steering/steer.ts';
import { type RunBase, readSettings, type SettingsReading } from './configuration.ts';
import { openEffects, type RunEffects } from './effects.ts';
import { messageOf } from './faults.ts';
import { Doubts } from './finish/doubts.ts';
import { isNewer } from './newer-state.ts';
import { CommentEdits } from './queued-comment.ts';
import { mirrorDir, type Repository } from './repository.ts';
import { drawnSeq } from './restore/drawn-seq.ts';
import { retry } from './retry.ts';
import type { BodyEdit, Run } from './run.ts';
import type { Services } from './services.ts';

/** One run in this process: its ledger, its presenter, and its work in progress. */
export class LiveRun implements Run {
  readonly repository: Repository;
  readonly number: number;
  newest: State | undefined;
  readonly passedOver = new LRUCache<string, true>({ max: 1_000 });
  confirmed: Run['confirmed'];
  readonly doubts = new Doubts();
  failingSince: Date | undefined;
  readUpTo: string | undefined;

  readonly #services: Services;
  readonly #ledger: RunLedger;
  readonly #effects: RunEffects;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  readonly #edits = new CommentEdits(this);
  #retrying: Promise<void> | undefined;
  /** The check of an approved run that is under way; one is enough. */
  #finishing: Promise<void> | undefined;
  /** Another action has failed since the current loop started. */
  #failedAgain = false;

  constructor(repository: Repository, number: number, services: Services) {
    this.repository = repository;
    this.number = number;
    this.#services = services;
    this.#ledger = openLedger({
      dir: join(services.data, 'ledgers', String(repository.id), String(number)),
      remote: repository.remote,
      repositoryId: repository.id,
      number,
      presenter: services.presenter,
      seals: services.seals,
      drawnSeq: (head) => drawnSeq(this, services.seals, head),
      objects: [join(mirrorDir(services, repository), 'objects')],
      onNotice: (text) => services.log.warn(`${repository.owner}/${repository.name}: ${text}`),
      onFault: (fault) =>
        services.log.warn(`could not record which effects of ${this.name} are done: ${messageOf(fault)}`),
    });
    this.#effects = openEffects(this, services);
  }

  get name(): string {
    return `${this.repository.owner}/${this.repository.name}#${this.number}`;
  }

  get tip(): LedgerTip | undefined {
    const { tip } = this.#ledger;
    const people = this.newest === undefined ? null : peopleDigest(blockOf(this.newest));
    return tip && { ...tip, people };
  }

  begin(): void {
    this.doubts.begin();
    this.#ledger.begin();
  }

  async record(event: Event, attachments?: Attachments): Promise<Recorded> {
    if (!(await this.#edits.mayMatter(event))) return { state: this.newest, fresh: false };
    const stranger = event.type === 'said' && !isAlwaysAnswered(event.by.role) ? event : undefined;
    if (stranger && !this.#services.strangers.mayAnswer(this.repository.id, stranger)) {
      this.passedOver.set(event.id, true);
      return { state: this.newest, fresh: false };
    }
    const ledger = attachments === undefined ? this.#ledger : this.#ledger.withAttachments(attachments);
    const recorded = await this.#record(event, ledger);
    this.doubts.recorded(event);
    // The ledger does not keep what changes nothing, and the sweep would find it again and again.
    if (stranger && !recorded.fresh) this.passedOver.set(event.id, true);
    return recorded;
  }

  restore(event: EventOf<'restored'>): Promise<Recorded> {
    return this.#record(event, this.#ledger.recreating());
  }

  halt(): void {
    this.doubts.raise();
    this.confirmed = undefined;
    if (this.newest === undefined) return;
    const standing = { phase: 'paused', why: 'ledger_lost', resumes_with: 'verify_head' } as const;
    this.newest = { ...this.newest, approvals: [], standing };
    this.#effects.engage(this.newest);
  }

  #record(event: Event, ledger: Pick<Ledger, 'record'>): Promise<Recorded> {
    const recording = (async () => {
      const recorded = await this.repository.pushes.paced(event, () => record(event, ledger));
      if (recorded.state !== undefined) this.resume(recorded.state);
      return recorded;
    })();
    this.#edits.await(event, recording);
    // The caller handles a failure.
    this.#track(recording.catch(() => undefined));
    return recording;
  }

  readSettings(at: RunBase): Promise<SettingsReading> {
    return readSettings(this.repository, this.#services, at);
  }

  async readLedger(): Promise<LedgerSnapshot | undefined> {
    const snapshot = await this.#ledger.read();
    this.#services.unknownKeys.forget(this.name);
    if (snapshot !== undefined) this.#see(snapshot.state);
    return snapshot;
  }

  resume(state: State): void {
    this.#see(state);
    this.#track(this.#act(state).catch((fault: unknown) => this.#actAgain(fault)));
  }

  finishAgain(only?: 'check'): Promise<void> {
    const state = this.newest;
    if (state === undefined) return Promise.resolve();
    this.#finishing ??= this.#effects.finishAgain(state, only).finally(() => {
      this.#finishing = undefined;
    });
    this.#track(this.#finishing.catch(() => undefined));
    return this.#finishing;
  }

  async withhold(event?: Event): Promise<void> {
    this.doubts.raise(event);
    this.confirmed = undefined;
    // Whatever this process knows of the phase: another one may have recorded an approval.
    await this.#effects.withhold();
  }

  async repairLabels(): Promise<void> {
    const state = (await this.readLedger())?.state;
    if (state !== undefined) await this.#effects.repairLabels(state);
  }

  async repairBody(edit: BodyEdit): Promise<void> {
    const state = (await this.readLedger())?.state;
    if (state !== undefined) await this.#effects.repairBody(edit, state);
  }

  events(): Promise<readonly Event[]> {
    return this.#ledger.events();
  }

  artefact(path: string): Promise<string | undefined> {
    return this.#ledger.readArtefact(path);
  }

  /** Resolves when every event so far has been acted upon and recorded. */
  async drained(): Promise<void> {
    await this.#effects.flush();
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    await this.#ledger.flush();
  }

  /** Whether nothing is in progress. */
  get quiet(): boolean {
    return this.#underWay.size === 0;
  }

  /** Whether this object can be closed: nothing is in progress, and no engine works for the run. */
  get idle(): boolean {
    return this.quiet && (this.newest === undefined || !isInProgress(this.newest.standing.phase));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.drained();
    await this.#ledger.close();
  }

  #act(state: State): Promise<void> {
    return act(state, { ledger: this.#ledger, effects: this.#effects });
  }

  /** The state is recorded, so failed actions can be retried; one loop serves all of them. */
  #actAgain(fault: unknown): Promise<void> {
    this.#failedAgain = this.#retrying !== undefined;
    this.#retrying ??= this.#retry(fault).finally(() => {
      this.#retrying = undefined;
    });
    return this.#retrying;
  }

  /** Until it succeeds, warnings are logged. */
  async #retry(fault: unknown): Promise<void> {
    const { log } = this.#services;
    const { signal } = this.#closing;
    const act = async (attempt: number): Promise<void> => {
      if (attempt === 1) throw fault;
      if (!signal.aborted) await this.#actOnNewest();
    };
    const doing = `act for ${this.name}`;
    await retry(act, { doing, log, signal, firstWaitMs: 1_000, factor: 3 }).catch((last: unknown) => {
      if (this.#failedAgain && !signal.aborted) return this.#retryAgain(last);
      log.error(`gave up acting for ${this.name}; the next sweep will retry: ${messageOf(last)}`);
      return undefined;
    });
  }

  /** What failed late would otherwise have fewer tries. */
  #retryAgain(fault: unknown): Promise<void> {
    this.#failedAgain = false;
    return this.#retry(fault);
  }

  /** A newer state may have failed meanwhile, and relies on this loop. */
  async #actOnNewest(): Promise<void> {
    let state: State | undefined;
    do {
      state = this.newest;
      if (state !== undefined) await this.#act(state);
    } while (state !== this.newest);
  }

  #see(state: State): void {
    if (this.newest === undefined || isNewer(state, this.newest)) this.newest = state;
  }

  #track(work: Promise<unknown>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }
}
